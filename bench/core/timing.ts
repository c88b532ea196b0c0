/**
 * Medians of repeated runs, after the compiler has seen the code. Processor time of this process,
 * not the clock's: all that is measured runs on one core without waiting, and a neighbour's load is
 * not the code's.
 */
export function medianOf<T>(run: () => T, times = 5, warmUps = 10): { ms: number; result: T } {
  let result = run();
  for (let i = 1; i < warmUps; i++) result = run();
  const all: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = process.cpuUsage();
    result = run();
    const { user, system } = process.cpuUsage(start);
    all.push((user + system) / 1000);
  }
  all.sort((a, b) => a - b);
  return { ms: all[Math.floor(times / 2)]!, result };
}
