/** Lets so many through at a time; the others wait in line. */
export type Limiter = <T>(run: () => Promise<T>) => Promise<T>;

export function makeLimiter(atOnce: number): Limiter {
  return makeWideningLimiter({ atFirst: atOnce, atOnce, every: 1 });
}

/**
 * Begins narrow and lets one more through at a time after every so many that came through well:
 * many at once would each make a control plane that was asleep start a function of its own, where a
 * few are served by the same.
 */
export function makeWideningLimiter(widths: {
  readonly atFirst: number;
  readonly atOnce: number;
  readonly every: number;
}): Limiter {
  let width = widths.atFirst;
  let free = width;
  let passed = 0;
  const line: (() => void)[] = [];
  const release = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const widen = (): void => {
    passed += 1;
    if (width >= widths.atOnce || passed % widths.every !== 0) return;
    width += 1;
    release();
  };
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      const result = await run();
      widen();
      return result;
    } finally {
      release();
    }
  };
}
