/**
 * Long enough for a machine that is busy with other things, and within the time of a test: whoever
 * runs into it hangs.
 */
export const hangsMs = 60_000;

/** For what no event tells: a file, a process. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + hangsMs;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error(`never happened: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
