import { spawn } from 'node:child_process';

/**
 * How fast one Node starts and reaps a command by itself: what the agent is compared with. As a
 * program of its own, `bare-spawn.ts SECONDS`, it is a fresh and small process, whatever the one
 * that asks has grown to.
 */
export const command = ['/bin/sh', '-c', 'exit 0'] as const;
export const atOnce = 8;

export async function measureBareSpawn(seconds: number): Promise<number> {
  const [file, ...args] = command;
  let ended = 0;
  const begunMs = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() - begunMs < seconds * 1_000) {
      const child = spawn(file, args, { stdio: 'ignore' });
      await new Promise((resolve) => child.once('close', resolve));
      ended += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ended / ((performance.now() - begunMs) / 1_000);
}

if (import.meta.main) {
  process.stdout.write(String(await measureBareSpawn(Number(process.argv[2]))));
}
