import type { AcceptAnswer, OffersAnswer } from '../../core/contract/clusters/offer-body.ts';
import { agentCommand } from '../../edge-agent/main.ts';
import { agentEnvironment } from '../agent/agent-settings.ts';
import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { asEdge } from '../edge/edge-secret.ts';
import { edgePath } from '../edge/edge-view.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { parseDurationMs } from '../input/duration.ts';
import { receiveEveryMs } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

/** Looks at offers and takes some, as the cluster itself; with `--run` it also does them. */
export const command = defineCommand({
  name: 'cluster receive',
  about: 'look at offers and take some, once or again and again; with --run, do them as well',
  args: [{ name: 'NAME', noun: 'edge' }],
  flags: {
    max: { kind: 'number', value: 'N', min: 1, max: 500, about: 'offers that are looked at (1)' },
    accept: { kind: 'number', value: 'N', min: 0, max: 500, about: 'so many are taken (--max)' },
    every: { kind: 'text', value: 'DURATION', about: 'again after so long, until Ctrl-C: 5s' },
    run: { kind: 'switch', about: 'run what was taken here, and report to the end' },
    executor: {
      kind: 'text',
      value: 'NAME',
      choices: ['flux', 'slurm', 'process'],
      about: 'with --run: how (all that this host has)',
    },
    data: { kind: 'text', value: 'DIR', about: 'with --run: where the state is kept' },
  },
  examples: [
    'edgewise cluster receive keebler --max 5 --accept 2 --context keebler',
    'edgewise cluster receive keebler --run --executor slurm --every 5s --context keebler',
  ],
  async run({ args, flags, api: client, settings, terminal }) {
    const name = args[0]!;
    const everyMs = flags.every === undefined ? null : parseDurationMs(flags.every, 'every');
    if (!flags.run && (flags.executor ?? flags.data) !== undefined) {
      throw usage('--executor and --data belong to --run.');
    }
    const api = client();
    const max = flags.max ?? 1;
    const rounds: Rounds = { name, max, accept: Math.min(max, flags.accept ?? max), everyMs };
    if (!flags.run) return receive(api, terminal, rounds);
    const { token } = settings();
    if (token === null) throw usage('The secret of the cluster is missing.', 'Give --context.');
    const more = {
      ...(flags.executor === undefined ? {} : { executor: flags.executor }),
      ...(flags.data === undefined ? {} : { data: flags.data }),
    };
    const env = {
      ...agentEnvironment(terminal, settings(), undefined),
      EDGEWISE_EDGE_SECRET: token,
    };
    return receiveAndRun(api, terminal, rounds, agentWords(rounds, more), env);
  },
});

type Rounds = {
  readonly name: string;
  readonly max: number;
  readonly accept: number;
  /** `null`: once. */
  readonly everyMs: number | null;
};

async function receive(api: Api, terminal: Terminal, rounds: Rounds): Promise<ExitCode> {
  do {
    await receiveOnce(api, terminal, rounds);
    if (rounds.everyMs === null) return exitCode.ok;
    await terminal.sleep(Math.max(rounds.everyMs, receiveEveryMs));
  } while (!terminal.interrupted.aborted);
  return exitCode.ok;
}

/** A line for each; nothing is taken that was not shown. */
async function receiveOnce(api: Api, terminal: Terminal, { name, max, accept }: Rounds) {
  const query = { max, limit: max };
  const { items = [] } = await api.get<OffersAnswer>(edgePath(name, '/offers'), query);
  for (const { id, name: called } of items) terminal.say(`offered ${id} ${called ?? ''}`.trimEnd());
  const jobs = items.slice(0, accept).map(({ id }) => id);
  if (jobs.length === 0) return;
  const send = () => api.ask<AcceptAnswer>('POST', edgePath(name, '/accept'), { body: { jobs } });
  const { body } = await asEdge(name, send);
  for (const { job, chunks } of body.leases) terminal.out(`${job} accepted: ${chunks}\n`);
  for (const { job, reason } of body.refused) terminal.say(`${job} refused: ${reason}`);
}

type Words = { readonly executor?: string; readonly data?: string };

function agentWords({ name, accept, everyMs }: Rounds, { executor, data }: Words): string[] {
  const seconds = Math.max(1, Math.round((everyMs ?? 0) / 1_000));
  const pull = everyMs === null ? [] : ['--pull', `--max=${accept}`, `--every=${seconds}`];
  return [
    ...['--name', name, '--transport', 'http', ...pull],
    ...(executor === undefined ? [] : ['--executor', executor]),
    ...(data === undefined ? [] : ['--data', data]),
  ];
}

/** Once: what was taken is done, then the agent ends. Again and again: until Ctrl-C. */
async function receiveAndRun(
  api: Api,
  terminal: Terminal,
  rounds: Rounds,
  words: readonly string[],
  env: Record<string, string | undefined>,
): Promise<ExitCode> {
  const ending = new AbortController();
  const signal = AbortSignal.any([terminal.interrupted, ending.signal]);
  if (rounds.everyMs === null) await receiveOnce(api, terminal, rounds);
  const streams = {
    out: (text: string) => terminal.out(text),
    err: (text: string) => terminal.draw(text),
  };
  const agent = agentCommand([...words], env, streams, signal) as Promise<ExitCode>;
  if (rounds.everyMs === null) {
    const done = allDone(api, terminal, rounds.name, signal);
    await Promise.race([agent, done]).finally(() => ending.abort());
  }
  return agent;
}

/** Nothing is left in the work document: all of it was reported, and that was noted. */
async function allDone(api: Api, terminal: Terminal, name: string, signal: AbortSignal) {
  while (!signal.aborted) {
    const { w } = await api.get<{ readonly w: object }>(edgePath(name, '/work')).catch(awayFor);
    if (w !== null && Object.keys(w).length === 0) return;
    await terminal.sleep(receiveEveryMs);
  }
}

/** The agent goes on while the API does not answer, and so does this. */
function awayFor(error: unknown): { readonly w: null } {
  if (error instanceof Failure && error.code === exitCode.failure) return { w: null };
  throw error;
}
