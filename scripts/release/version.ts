/**
 * One version for all that is released together: the two packages of this repository and their lock
 * file. A pre-release (`1.2.0-rc.1`) comes before its release, as semantic versioning has it.
 */
export type Version = {
  readonly text: string;
  readonly numbers: readonly [number, number, number];
  readonly preRelease: string | null;
};

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** `null` for what is no version. */
export function parseVersion(text: string): Version | null {
  const parts = form.exec(text);
  if (parts === null) return null;
  const [, major, minor, patch, preRelease = null] = parts;
  return { text, numbers: [Number(major), Number(minor), Number(patch)], preRelease };
}

export function isNewer(version: Version, than: Version): boolean {
  for (const [at, number] of version.numbers.entries()) {
    const other = than.numbers[at]!;
    if (number !== other) return number > other;
  }
  if (version.preRelease === null || than.preRelease === null) {
    return version.preRelease === null && than.preRelease !== null;
  }
  return comparePreReleases(version.preRelease, than.preRelease) > 0;
}

/** Part by part: numbers by their size and before words, and the shorter first of two alike. */
function comparePreReleases(one: string, other: string): number {
  const [ours, theirs] = [one.split('.'), other.split('.')];
  for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
    const [a, b] = [ours[at], theirs[at]];
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    if (a === b) continue;
    const [x, y] = [numberOf(a), numberOf(b)];
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return 0;
}

const numberOf = (part: string): number | null => (/^\d+$/.test(part) ? Number(part) : null);

type Manifest = { version: string };
type LockFile = Manifest & { packages: Record<string, Manifest | undefined> };

/** The texts of the files that hold the version, with another one. Nothing else in them changes. */
export function stampManifest(text: string, version: string): string {
  return written({ ...(JSON.parse(text) as Manifest), version });
}

export function stampLockFile(text: string, version: string): string {
  const lock = JSON.parse(text) as LockFile;
  for (const name of ['', 'local']) {
    const own = lock.packages[name];
    if (own === undefined) throw new Error(`the lock file does not know the package "${name}"`);
    own.version = version;
  }
  return written({ ...lock, version });
}

const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
