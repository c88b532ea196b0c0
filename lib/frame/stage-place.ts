import type { StageName } from './stage-name.ts';

/**
 * Where a stage belongs: an account of AWS, or one region of it. Every account may have a stage of
 * the same name, and credentials point wherever the shell was last; this is what they are held
 * against. See docs/decisions.
 */
export type Place = {
  readonly account: string;
  /** `null`: any region of the account. */
  readonly region: string | null;
};

export const placeRule = 'a place is ACCOUNT or ACCOUNT/REGION, such as 123456789012/eu-west-1';

const pattern = /^(\d{12})(?:\/([a-z]{2}(?:-[a-z]+)+-\d{1,2}))?$/;

/** `null` for what is no place. */
export function parsePlace(text: unknown): Place | null {
  const found = typeof text === 'string' ? pattern.exec(text) : null;
  if (found === null) return null;
  return { account: found[1]!, region: found[2] ?? null };
}

/**
 * The places of a stage in `edgewise:places` of cdk.json, `{"prod": "…", "staging": ["…", "…"]}`;
 * `null` where it says nothing of this stage. What cannot be read is an error, because it was
 * meant to forbid something.
 */
export function declaredPlaces(declared: unknown, { name }: StageName): readonly Place[] | null {
  if (declared === undefined) return null;
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared)) {
    throw new Error(`edgewise:places: stages with their places, {"prod": "123456789012"}`);
  }
  const said = new Map<string, unknown>(Object.entries(declared)).get(name);
  if (said === undefined) return null;
  return [said].flat().map((one) => {
    const place = parsePlace(one);
    if (place === null) throw new Error(`edgewise:places: ${name}: ${placeRule}, not ${one}`);
    return place;
  });
}

const isIn = (account: string, region: string) => (place: Place) =>
  place.account === account && (place.region ?? region) === region;

/** Why a stage is not to be touched with these credentials, or `null`. */
export function refusalElsewhere(
  { stackName }: StageName,
  places: readonly Place[],
  { account, region }: { readonly account: string; readonly region: string },
): string | null {
  if (places.some(isIn(account, region))) return null;
  const names = places.map((it) =>
    it.region === null ? it.account : `${it.account}/${it.region}`,
  );
  const there = names.length === 0 ? 'nowhere' : `in ${names.join(' or ')}`;
  return `${stackName} belongs ${there}; these credentials are of ${account}/${region}.`;
}
