import type { Edge } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { parseDurationMs } from '../input/duration.ts';
import { pollMsMax, waitMsDefault } from '../limits.ts';
import { edgePath } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge drain',
  about: 'empty an edge: unstarted chunks move at once, running ones until the deadline',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {
    reason: {
      kind: 'text',
      short: 'r',
      value: 'TEXT',
      blank: true,
      about: 'why, for whoever wonders',
    },
    deadline: { kind: 'text', value: 'DURATION', about: 'how long running chunks may go on' },
    wait: { kind: 'switch', about: 'return when it is empty' },
    timeout: { kind: 'text', value: 'DURATION', about: 'longest wait (exit code 6)' },
    ...yesFlag,
  },
  examples: ['edgewise edge drain edge-10 --reason "new disk" --deadline 5m --wait'],
  async run({ args, flags, api, output, terminal }) {
    const [name] = args;
    const { deadline } = flags;
    const deadlineSeconds =
      deadline === undefined ? null : Math.ceil(parseDurationMs(deadline, 'deadline') / 1_000);
    const limitMs =
      flags.timeout === undefined ? waitMsDefault : parseDurationMs(flags.timeout, 'timeout');
    const client = api();
    await confirm(terminal, flags.yes, `Drain ${name}?`);
    const body = {
      ...(flags.reason === undefined ? {} : { reason: flags.reason }),
      ...(deadlineSeconds === null ? {} : { deadlineSeconds }),
    };
    let edge = (await client.ask<Edge>('POST', edgePath(name!, '/drain'), { body })).body;
    const startMs = terminal.nowMs();
    while (flags.wait) {
      edge = await client.get<Edge>(edgePath(name!));
      if ((edge.leases ?? []).length === 0) break;
      if (terminal.nowMs() - startMs >= limitMs || terminal.interrupted.aborted) {
        const left = edge.leases?.length ?? 0;
        throw new Failure(
          exitCode.timedOut,
          `${name} still works on ${left} jobs; the drain goes on.`,
        );
      }
      await terminal.sleep(pollMsMax);
    }
    output.single(edge, edge.name, () => `${edge.name} ${flags.wait ? 'is empty' : 'draining'}\n`);
    return exitCode.ok;
  },
});
