/**
 * Versions, as expressions compare them: numbers as numbers (`5.10` is above `5.9`), letters as
 * letters, and a number above letters, so that `1.0-rc1` is below `1.0.1`; a missing part counts as
 * zero, and a pre-release is below its release. A plain number is a version, too.
 */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const x = left[i] ?? '0';
    const y = right[i] ?? '0';
    const xNumber = /^\d+$/.test(x);
    const yNumber = /^\d+$/.test(y);
    if (xNumber && yNumber) {
      const order = Number(x) - Number(y);
      if (order !== 0) return Math.sign(order);
    } else if (xNumber !== yNumber) {
      return xNumber ? 1 : -1;
    } else if (x !== y) {
      return x < y ? -1 : 1;
    }
  }
  return 0;
}

/** A text that begins with no number has no place above or below any other: `abc` is no version. */
export function isVersion(text: string): boolean {
  return /^v?\d/.test(text);
}

function partsOf(version: string): string[] {
  return version.replace(/^v(?=\d)/, '').match(/\d+|[a-z]+/gi) ?? [];
}
