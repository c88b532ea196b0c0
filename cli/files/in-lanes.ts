import { uploadsAtOnce } from '../limits.ts';

/** All of them, a few at a time, in order. */
export async function inLanes<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, lane));
}
