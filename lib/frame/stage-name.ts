/**
 * What the name of a stage says: how its stack is called, how its things, and whether it is kept.
 * See docs/decisions.
 */
export type StageName = {
  readonly name: string;
  /** `Edgewise` for `production`, else `Edgewise-NAME`. */
  readonly stackName: string;
  /** Before the name of each thing in IoT Core, whose registry all stages of an account share. */
  readonly thingPrefix: string;
  /** `false`: thrown away with its stack. */
  readonly isKept: boolean;
};

/** Has been there before stages had names, and keeps its own. */
const firstStage = 'production';

/** The longest name that is made of it is that of a CloudFront function: 64 characters. */
const pattern = /^[a-z][a-z0-9-]{0,14}[a-z0-9]$/;

const thrownAway = /^trial(-|$)/;

/** `null` for what is no name of a stage. */
export function parseStageName(name: unknown): StageName | null {
  if (typeof name !== 'string' || !pattern.test(name)) return null;
  const isFirst = name === firstStage;
  return {
    name,
    stackName: isFirst ? 'Edgewise' : `Edgewise-${name}`,
    thingPrefix: isFirst ? '' : `${name}_`,
    isKept: !thrownAway.test(name),
  };
}

/** For those who cannot go on without. */
export function requiredStageName(name: unknown): StageName {
  const known = parseStageName(name);
  if (known === null) throw new Error(`edgewise:stage: ${stageNameRule}, not ${String(name)}`);
  return known;
}

export const stageNameRule =
  'a stage is two to sixteen small letters, digits and dashes, such as production, prod or trial-2';
