import type { Job, Stats } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { defineCommand, type FlagValues } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { parseDurationMs } from '../input/duration.ts';
import {
  countedMsMax,
  removedAtOnceMax,
  requesterJobsMax,
  requesterParallelMax,
} from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { makeRandomJob, seededRandom } from './random-job.ts';

/**
 * Keeps the system busy without burying it: a new job only while fewer than `--pending` wait and
 * fewer than `--max-active` are under way, as the API counts them: in the fleet, or in `--pool`.
 * Finished jobs of its own are removed when they are old, so that a stage can run for days.
 */
const flags = {
  'max-jobs': { kind: 'number', value: 'N', min: 0, about: 'end after so many (0: never)' },
  'min-power': { kind: 'number', value: 'W', min: 1, about: 'least power of a job (300)' },
  'max-power': { kind: 'number', value: 'W', min: 1, about: 'most power of a job (500)' },
  pending: { kind: 'number', value: 'N', min: 1, about: 'jobs that may wait (10)' },
  'max-active': { kind: 'number', value: 'N', min: 1, about: 'jobs that may wait or run (100)' },
  seconds: { kind: 'number', value: 'S', min: 1, about: 'longest simulated chunk (6)' },
  keep: { kind: 'text', value: 'DURATION', about: 'remove finished jobs after this time (1h)' },
  pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'pool of the jobs' },
  name: { kind: 'text', value: 'NAME', about: 'what the names begin with (random)', rare: true },
  every: { kind: 'text', value: 'DURATION', about: 'how often to look (500ms)', rare: true },
  seed: { kind: 'number', value: 'N', min: 0, about: 'the same jobs again', rare: true },
} as const;

type RequestFlags = FlagValues<typeof flags>;

type Requester = {
  readonly api: Api;
  readonly terminal: Terminal;
  readonly next: (number: number) => Record<string, unknown>;
  readonly pendingMax: number;
  readonly activeMax: number;
  readonly jobsMax: number;
  readonly keepMs: number;
  /** Of which pool the jobs are counted; `undefined` for the whole fleet. */
  readonly pool: string | undefined;
  submitted: number;
  /** How many jobs there had ever been when it began. */
  totalBefore: number | null;
  readonly own: { id: string; atMs: number }[];
};

export const command = defineCommand({
  name: 'request',
  about: 'keep the system busy with random jobs',
  args: [],
  flags,
  examples: ['edgewise request', 'edgewise request --max-jobs 20 --max-power 1000'],
  async run({ flags, api, terminal }) {
    const requester = makeRequester(api(), terminal, flags);
    const everyMs = flags.every === undefined ? 500 : parseDurationMs(flags.every, 'every');
    for (;;) {
      if (terminal.interrupted.aborted) break;
      try {
        await step(requester);
        await removeOld(requester);
      } catch (error) {
        if (terminal.interrupted.aborted) break;
        // The API may restart under a requester that runs for days; only what no waiting mends ends
        // it.
        if (!(error instanceof Failure) || error.code !== exitCode.failure) throw error;
        sayLine(terminal, error.message);
      }
      if (requester.submitted >= requester.jobsMax) break;
      await terminal.sleep(everyMs);
    }
    if (terminal.errIsTerminal) terminal.draw('\r\u001b[2K');
    terminal.say(`Submitted ${requester.submitted} jobs.`);
    return exitCode.ok;
  },
});

function makeRequester(api: Api, terminal: Terminal, values: RequestFlags): Requester {
  const bounds = {
    minPower: values['min-power'] ?? 300,
    maxPower: values['max-power'] ?? Math.max(500, values['min-power'] ?? 0),
    secondsMax: values.seconds ?? 6,
  };
  if (bounds.minPower > bounds.maxPower) {
    throw usage(
      '--min-power is larger than --max-power.',
      'Write --min-power 300 --max-power 500.',
    );
  }
  const random = values.seed === undefined ? () => terminal.random() : seededRandom(values.seed);
  const who = values.name ?? 'random';
  const pool = values.pool === undefined ? {} : { pool: values.pool };
  return {
    api,
    terminal,
    next: (number) => ({ ...makeRandomJob(number, who, bounds, random), ...pool }),
    pendingMax: values.pending ?? 10,
    activeMax: values['max-active'] ?? 100,
    jobsMax: values['max-jobs'] || Number.POSITIVE_INFINITY,
    keepMs: values.keep === undefined ? 3_600_000 : parseDurationMs(values.keep, 'keep'),
    pool: values.pool,
    submitted: 0,
    totalBefore: null,
    own: [],
  };
}

async function step(requester: Requester): Promise<void> {
  const { api, terminal } = requester;
  const { jobs }: Stats = await api.get('/v1/stats', { pool: requester.pool });
  const pending = (jobs.pending ?? 0) + (jobs.waiting ?? 0) + countUnseen(requester, jobs);
  const active = pending + (jobs.scheduled ?? 0) + (jobs.running ?? 0);
  const room = Math.min(
    requester.pendingMax - pending,
    requester.activeMax - active,
    requester.jobsMax - requester.submitted,
    requesterParallelMax,
  );
  const wanted = Array.from({ length: Math.max(0, room) }, () => submitOne(requester));
  await Promise.all(wanted);
  sayLine(
    terminal,
    `${requester.submitted} submitted, ${pending} waiting, ${active} under way`,
    true,
  );
}

/**
 * The counts follow a moment later; what they do not show yet must not be submitted twice. Those of
 * one pool are of its newest jobs and have no total that only grows: there the moment is waited.
 */
function countUnseen(requester: Requester, jobs: Stats['jobs']): number {
  if (requester.pool !== undefined) {
    const sinceMs = requester.terminal.nowMs() - countedMsMax;
    return requester.own.filter(({ atMs }) => atMs > sinceMs).length;
  }
  const total = jobs.total ?? 0;
  requester.totalBefore ??= total;
  return Math.max(0, requester.submitted - (total - requester.totalBefore));
}

async function submitOne(requester: Requester): Promise<void> {
  const { api, terminal } = requester;
  const body = requester.next(++requester.submitted);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  try {
    const { body: job } = await api.ask<Job>('POST', '/v1/jobs', { body, headers });
    if (requester.own.length < requesterJobsMax) {
      requester.own.push({ id: job.id, atMs: terminal.nowMs() });
    }
  } catch (error) {
    requester.submitted--;
    throw error;
  }
}

/** A job that is not finished yet, or already gone, is let go: it was one of many. */
async function removeOld(requester: Requester): Promise<void> {
  const { api, keepMs, own, terminal } = requester;
  for (let i = 0; i < removedAtOnceMax; i++) {
    const oldest = own[0];
    if (oldest === undefined || terminal.nowMs() - oldest.atMs < keepMs) return;
    own.shift();
    try {
      await api.ask('DELETE', `/v1/jobs/${oldest.id}`, { query: { purge: true } });
    } catch (error) {
      const { code } = error as Failure;
      if (code !== exitCode.notFound && code !== exitCode.conflict) throw error;
    }
  }
}

/** On a terminal one line that is drawn over; elsewhere only what is worth keeping. */
function sayLine(terminal: Terminal, text: string, passing = false): void {
  if (terminal.errIsTerminal) terminal.draw(`\r\u001b[2K${text}`);
  else if (!passing) terminal.say(text);
}
