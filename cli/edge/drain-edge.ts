import type { Edge } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { parseDurationMs } from '../input/duration.ts';
import { pollMsMax, waitMsDefault } from '../limits.ts';
import { progressBar } from '../output/progress-bar.ts';
import type { Terminal } from '../terminal.ts';
import { reasonFlag } from './edge-change.ts';
import { edgePath } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge drain',
  about: 'empty an edge: unstarted chunks move at once, running ones until the deadline',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {
    ...reasonFlag,
    deadline: { kind: 'text', value: 'DURATION', about: 'how long running chunks may go on' },
    detach: { kind: 'switch', about: 'return at once, not when it is empty' },
    wait: { kind: 'switch', about: 'return when it is empty, as without it', rare: true },
    timeout: { kind: 'text', value: 'DURATION', about: 'longest wait (exit code 6)' },
    ...yesFlag,
  },
  examples: ['edgewise edge drain edge-10 --reason "new disk" --deadline 5m'],
  async run({ args, flags, api, output, terminal }) {
    const [name] = args;
    const { deadline } = flags;
    const deadlineSeconds =
      deadline === undefined ? null : Math.ceil(parseDurationMs(deadline, 'deadline') / 1_000);
    const limitMs =
      flags.timeout === undefined ? waitMsDefault : parseDurationMs(flags.timeout, 'timeout');
    if (flags.detach && (flags.wait || flags.timeout !== undefined)) {
      throw usage('--detach does not wait.', 'Leave out --detach, or --wait and --timeout.');
    }
    const client = api();
    await confirm(terminal, flags.yes, `Drain ${name}?`);
    const body = {
      ...(flags.reason === undefined ? {} : { reason: flags.reason }),
      ...(deadlineSeconds === null ? {} : { deadlineSeconds }),
    };
    const drained = await client.ask<Edge>('POST', edgePath(name!, '/drain'), { body });
    const edge = flags.detach
      ? drained.body
      : await awaitEmpty(client, terminal, drained.body, limitMs);
    output.single(
      edge,
      edge.name,
      () => `${edge.name} ${flags.detach ? 'draining' : 'is empty'}\n`,
    );
    return exitCode.ok;
  },
});

/** The drain goes on whatever ends the waiting. */
async function awaitEmpty(
  api: Api,
  terminal: Terminal,
  draining: Edge,
  limitMs: number,
): Promise<Edge> {
  const { name } = draining;
  const startMs = terminal.nowMs();
  const bar = progressBar(terminal);
  let most = 0;
  try {
    for (;;) {
      const edge = await api.get<Edge>(edgePath(name));
      const left = edge.leases.length;
      if (left === 0) return edge;
      most = Math.max(most, left);
      const jobs = left === 1 ? '1 job' : `${left} jobs`;
      bar.draw(Math.floor((100 * (most - left)) / most), `${name} still works on ${jobs}`);
      const goesOn = `${name} still works on ${jobs}; the drain goes on.`;
      if (terminal.nowMs() - startMs >= limitMs) throw new Failure(exitCode.timedOut, goesOn);
      await terminal.sleep(pollMsMax);
      if (terminal.interrupted.aborted) {
        const remedy = `Take it back: edgewise edge uncordon ${name}`;
        throw new Failure(exitCode.interrupted, goesOn, remedy);
      }
    }
  } finally {
    bar.clear();
  }
}
