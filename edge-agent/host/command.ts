import { randomBytes } from 'node:crypto';
import type { Launcher } from '../launcher/launcher-client.ts';
import { commandOutputBytesMax, commandTimeoutMs, killAfterMs } from '../limits.ts';

/**
 * Runs a program of the host to its end and reads what it prints: how the cluster and container
 * executors work.
 */
export type RunCommand = (argv: readonly string[], timeoutMs?: number) => Promise<CommandResult>;

export type CommandResult = {
  /** `null` when it was killed, timed out or could not be started. */
  readonly code: number | null;
  /** Both streams, in order. */
  readonly output: string;
};

export const commandIdPrefix = 'command/';

export function makeRunCommand(launcher: Launcher): RunCommand {
  const boot = randomBytes(4).toString('hex');
  let commands = 0;
  return (argv, timeoutMs = commandTimeoutMs) =>
    new Promise((resolve) => {
      commands += 1;
      const id = `${commandIdPrefix}${boot}/${commands}`;
      const tailBytes = commandOutputBytesMax;
      const what = { id, argv, env: {}, cwd: null, isMarked: false };
      const order = { ...what, timeoutMs, killAfterMs, tailBytes };
      launcher.start({ ...order, keep: 'all' }, (end) => {
        if (end === 'lost') return resolve({ code: null, output: '' });
        const output = end.tail === null ? '' : Buffer.from(end.tail, 'base64').toString('utf8');
        resolve({ code: end.error === null ? end.code : null, output: end.error ?? output });
      });
    });
}
