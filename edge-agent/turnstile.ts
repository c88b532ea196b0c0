/** Lets so many through at a time; the others wait in line. */
export type Turnstile = <T>(run: () => Promise<T>) => Promise<T>;

export function makeTurnstile(atOnce: number): Turnstile {
  let free = atOnce;
  const line: (() => void)[] = [];
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await run();
    } finally {
      const next = line.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
