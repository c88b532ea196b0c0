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

/** Where a command runs that does not see what its agent sees. */
export type CommandPlace = { readonly env: Record<string, string>; readonly cwd: string };

/** Behind a wrapper it runs as another user, say. */
export function makeRunCommand(
  launcher: Launcher,
  wrapper: readonly string[] = [],
  place: CommandPlace | null = null,
): RunCommand {
  const boot = randomBytes(4).toString('hex');
  let commands = 0;
  return (argv, timeoutMs = commandTimeoutMs) =>
    new Promise((resolve) => {
      commands += 1;
      const id = `${commandIdPrefix}${boot}/${commands}`;
      const tailBytes = commandOutputBytesMax;
      const ofHost = { env: {}, inherits: true, cwd: null, isMarked: false };
      const around = place === null ? ofHost : { ...place, inherits: false, isMarked: true };
      const what = { id, argv, wrapper, ...around };
      const order = { ...what, timeoutMs, killAfterMs, tailBytes, outputOwner: null };
      launcher.start({ ...order, errorsApart: false, whole: null, keep: 'all' }, (end, taken) => {
        taken();
        if (end === 'lost') return resolve({ code: null, output: '' });
        const output = end.tail === null ? '' : Buffer.from(end.tail).toString('utf8');
        resolve({ code: end.error === null ? end.code : null, output: end.error ?? output });
      });
    });
}
