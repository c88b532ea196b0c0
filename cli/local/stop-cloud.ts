import { join, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { localStopMsMax, pollFirstMs } from '../limits.ts';
import { findEndpoints, readEndpoints } from './endpoints-file.ts';
import { isAlive } from './process-life.ts';

export const command = defineCommand({
  name: 'down',
  about: 'stop the local cloud of this directory; its state stays',
  args: [],
  flags: { state: { kind: 'text', value: 'DIR', about: 'its state directory (.edgewise)' } },
  examples: ['edgewise down'],
  async run({ flags, output, terminal }) {
    const endpoints =
      flags.state === undefined
        ? findEndpoints(terminal.directory, terminal.env.EDGEWISE_STATE)
        : readEndpoints(join(resolve(terminal.directory, flags.state), 'endpoints.json'));
    const pid = endpoints?.pid ?? null;
    if (endpoints === null || pid === null || !isAlive(pid)) {
      terminal.say('No local cloud runs here.');
      return exitCode.ok;
    }
    process.kill(pid, 'SIGTERM');
    const startMs = terminal.nowMs();
    while (isAlive(pid)) {
      if (terminal.nowMs() - startMs > localStopMsMax || terminal.interrupted.aborted) {
        throw new Failure(exitCode.timedOut, `The local cloud (process ${pid}) has not ended yet.`);
      }
      await terminal.sleep(pollFirstMs);
    }
    output.single({ api: endpoints.api, pid }, String(pid), () => 'stopped\n');
    return exitCode.ok;
  },
});
