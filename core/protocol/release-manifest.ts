import { isRecord } from './json.ts';
import { releaseProgramsMax } from './limits.ts';

/**
 * What a release has for agents that update themselves: `manifest.json` beside the programs. Its
 * signature is over `releaseText`, so neither who serves it nor who carries it can change what is
 * taken.
 */
export type ReleaseManifest = {
  readonly version: string;
  /** When it was signed, as an instant. */
  readonly madeAt: string;
  /** By file name: `edgewise-agent-linux-x64`. */
  readonly programs: ReadonlyMap<string, ReleasedProgram>;
  readonly signature: ReleaseSignature;
};

export type ReleasedProgram = { readonly bytes: number; readonly sha256: string };

/** Ed25519, both in base64url. */
export type ReleaseSignature = { readonly key: string; readonly value: string };

const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}(-[0-9A-Za-z.-]{1,40})?$/;
const namePattern = /^[a-z0-9][a-z0-9.-]{0,79}$/;
const digestPattern = /^[0-9a-f]{64}$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/;

/** `null`: it is none, or not of the form that this agent knows. */
export function parseReleaseManifest(value: unknown): ReleaseManifest | null {
  if (!isRecord(value) || !isRecord(value.programs) || !isRecord(value.signature)) return null;
  const { version, madeAt } = value;
  if (typeof version !== 'string' || !versionPattern.test(version)) return null;
  if (typeof madeAt !== 'string' || !instantPattern.test(madeAt)) return null;
  const { key, value: signed } = value.signature;
  if (typeof key !== 'string' || typeof signed !== 'string') return null;
  const programs = new Map<string, ReleasedProgram>();
  for (const [name, program] of Object.entries(value.programs)) {
    if (!namePattern.test(name) || !isProgram(program) || programs.size === releaseProgramsMax)
      return null;
    programs.set(name, { bytes: program.bytes, sha256: program.sha256 });
  }
  return { version, madeAt, programs, signature: { key, value: signed } };
}

function isProgram(value: unknown): value is ReleasedProgram {
  if (!isRecord(value) || typeof value.sha256 !== 'string') return false;
  const { bytes } = value;
  return Number.isSafeInteger(bytes) && (bytes as number) > 0 && digestPattern.test(value.sha256);
}

/** A line each, in the order of the names: the same content is the same text. */
export function releaseText({
  version,
  madeAt,
  programs,
}: Omit<ReleaseManifest, 'signature'>): string {
  const lines = [...programs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { bytes, sha256 }]) => `${name} ${bytes} ${sha256}`);
  return ['edgewise-release-1', version, madeAt, ...lines, ''].join('\n');
}
