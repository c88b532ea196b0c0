import { isDeepStrictEqual } from 'node:util';
import type { TokenBody } from '../../core/contract/fleet-body.ts';
import type { Pool, Queue, Token } from '../../core/contract/resources.ts';
import { enrolTtlSecondsDefault } from '../../core/model/limits.ts';
import type { Description } from './description.ts';

/**
 * In what a stage is not as it is described. A pure comparison of what is there with what is
 * wanted, in the order in which it is mended: a token finds its pool, and what is to go goes last.
 */
export type StageContent = {
  readonly pools: readonly Pool[];
  readonly queues: readonly Queue[];
  readonly tokens: readonly Token[];
};

export type FieldDrift = {
  readonly field: string;
  readonly described: unknown;
  readonly found: unknown;
};

export type Drift = {
  readonly kind: 'pool' | 'queue' | 'token';
  readonly name: string;
  /** `unwanted`: it is there, and is described as absent. */
  readonly drift: 'missing' | 'differs' | 'unwanted';
  readonly fields: readonly FieldDrift[];
  /** What the API is sent for it; `null` for what only goes. */
  readonly body: object | null;
  /** Ids of tokens that do more, less or other things than described. */
  readonly revoked: readonly string[];
};

export function driftOf(wanted: Description, found: StageContent, nowMs: number): Drift[] {
  const drifts = [
    ...settingsDrift('pool', wanted.pools, found.pools),
    ...settingsDrift('queue', wanted.queues, found.queues),
    ...tokensDrift(wanted.tokens, found.tokens, nowMs),
  ];
  const goes = ({ drift }: Drift): boolean => drift === 'unwanted';
  return [...drifts.filter((it) => !goes(it)), ...drifts.filter(goes).reverse()];
}

type Settings = { readonly name: string };

function settingsDrift(
  kind: 'pool' | 'queue',
  wanted: ReadonlyMap<string, object | null>,
  found: readonly Settings[],
): Drift[] {
  const byName = new Map(found.map((it) => [it.name, it]));
  return [...wanted].flatMap(([name, body]): Drift[] => {
    const there = byName.get(name);
    if (body === null) {
      if (there === undefined) return [];
      return [{ kind, name, drift: 'unwanted', fields: [], body: null, revoked: [] }];
    }
    if (there === undefined) {
      return [{ kind, name, drift: 'missing', fields: [], body, revoked: [] }];
    }
    const fields = fieldsThatDiffer(body, there);
    if (fields.length === 0) return [];
    return [{ kind, name, drift: 'differs', fields, body, revoked: [] }];
  });
}

/** Only what a request may set; edges, cells and times are what the stage makes of it. */
function fieldsThatDiffer(described: object, there: object): FieldDrift[] {
  const found = new Map<string, unknown>(Object.entries(there));
  return Object.entries(described).flatMap(([field, value]) => {
    const wanted = plain(value);
    const has = plain(found.get(field));
    return isDeepStrictEqual(wanted, has) ? [] : [{ field, described: wanted, found: has }];
  });
}

/** As it would be sent: what is `undefined` is not there. */
function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

function tokensDrift(
  wanted: ReadonlyMap<string, TokenBody | null>,
  found: readonly Token[],
  nowMs: number,
): Drift[] {
  const kind = 'token';
  return [...wanted].flatMap(([name, body]): Drift[] => {
    const there = found.filter((it) => it.name === name && isOfUse(it, nowMs));
    if (body === null) {
      if (there.length === 0) return [];
      const revoked = there.map(({ id }) => id);
      return [{ kind, name, drift: 'unwanted', fields: [], body: null, revoked }];
    }
    if (there.length === 0) {
      return [{ kind, name, drift: 'missing', fields: [], body, revoked: [] }];
    }
    const compared = there.map((it) => ({ id: it.id, fields: tokenFields(body, it) }));
    const others = compared.filter(({ fields }) => fields.length > 0);
    if (others.length === 0) return [];
    const isThere = others.length < compared.length;
    const revoked = others.map(({ id }) => id);
    const { fields } = others[0]!;
    return [{ kind, name, drift: 'differs', fields, body: isThere ? null : body, revoked }];
  });
}

/** One that has expired or has enrolled all it may opens nothing, and is as good as none. */
function isOfUse({ expiresAt, usesLeft }: Token, nowMs: number): boolean {
  return usesLeft !== 0 && (expiresAt === null || Date.parse(expiresAt) > nowMs);
}

/** Uses are counted down by the stage, so how many are left says nothing of how many there were. */
function tokenFields(body: TokenBody, there: Token): FieldDrift[] {
  const enrols = body.scopes.includes('edges:enrol');
  const described = {
    scopes: [...body.scopes].sort(),
    // Bound to clusters it is bound to their pool, too, which the stage finds out.
    ...(body.edges !== null && body.pool === null ? {} : { pool: body.pool }),
    queue: body.queue,
    edge: body.edge,
    edges: sorted(body.edges),
    ttlSeconds: body.ttlSeconds ?? (enrols ? enrolTtlSecondsDefault : null),
  };
  const { expiresAt, createdAt } = there;
  const ttlMs = expiresAt === null ? null : Date.parse(expiresAt) - Date.parse(createdAt);
  return fieldsThatDiffer(described, {
    ...there,
    scopes: [...there.scopes].sort(),
    edges: sorted(there.edges),
    ttlSeconds: ttlMs === null ? null : Math.round(ttlMs / 1_000),
  });
}

function sorted(names: readonly string[] | null): readonly string[] | null {
  return names === null ? null : [...new Set(names)].sort();
}
