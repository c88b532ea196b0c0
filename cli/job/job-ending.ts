import type { Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import type { Api } from '../client/api.ts';
import { liveRest } from '../client/live-rest.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { formatDurationMs, parseDurationMs } from '../input/duration.ts';
import { placedMsDefault, waitMsDefault } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { awaitEnding } from './await-ending.ts';
import { jobPath } from './input/job-reference.ts';
import { waitingText } from './job-view.ts';

/**
 * Waits for a job: until it has ended, or until something of it is placed.
 */
export const waitFlags = {
  wait: {
    kind: 'mode',
    choices: ['done', 'placed'],
    about: 'return when the job has ended (7 if it failed) or is placed (8 if nothing can run it)',
  },
  timeout: {
    kind: 'text',
    value: 'DURATION',
    about: 'longest wait, like 90s or 1h30m (exit code 6)',
  },
} as const;

export type Goal = 'done' | 'placed';

/** What is waited for, and how long at most. */
export type Wait = {
  readonly goal: Goal;
  readonly limitMs: number;
  /** The limit as it was given. */
  readonly limit: string;
};

type WaitValues = { readonly wait: string | undefined; readonly timeout: string | undefined };

/** Read before anything is sent: a word that is not understood must not leave a job behind. */
export function readWait({ wait, timeout }: WaitValues): Wait | null {
  if (wait !== undefined) return waitFor(wait === 'placed' ? 'placed' : 'done', timeout);
  if (timeout === undefined) return null;
  throw usage(
    '--timeout limits --wait, which is not given.',
    'For a limit of each chunk: --chunk-timeout S.',
  );
}

export function waitFor(goal: Goal, timeout: string | undefined): Wait {
  if (timeout !== undefined) {
    return { goal, limitMs: parseDurationMs(timeout, 'timeout'), limit: timeout };
  }
  const limitMs = goal === 'placed' ? placedMsDefault : waitMsDefault;
  return { goal, limitMs, limit: formatDurationMs(limitMs) };
}

export type Ending = { readonly job: Job; readonly code: ExitCode };

export async function awaitJob(
  api: Api,
  terminal: Terminal,
  id: string,
  wait: Wait,
): Promise<Ending> {
  const { goal, limitMs, limit } = wait;
  const { found, code } = await awaitEnding<Job>(terminal, limitMs, {
    look: () => api.get<Job>(jobPath(id)),
    live: liveRest(api, terminal, { job: id }),
    codeOf: goal === 'done' ? codeOfEnd : codeOfPlacing,
    percentOf: ({ status }) => status.percent,
    barText,
    tooLong: (job) => tooLong(id, job, limit),
    interrupted: () => {
      const remedy = `Cancel it: edgewise job cancel ${id}`;
      return new Failure(exitCode.interrupted, `Stopped waiting; job ${id} goes on.`, remedy);
    },
  });
  return { job: found, code };
}

function tooLong(id: string, job: Job | null, limit: string): Failure {
  const state = job === null ? 'not known to have ended' : `still ${stateText(job)}`;
  return new Failure(
    exitCode.timedOut,
    `Job ${id} is ${state} after ${limit}.`,
    `It goes on. Look again: edgewise watch ${id}   why it waits: edgewise explain ${id}`,
  );
}

function stateText({ status }: Job): string {
  return `${status.state} (${status.percent} %)`;
}

function barText(job: Job): string {
  const { chunks, state } = job.status;
  return `${state}, ${chunks.done} of ${chunks.total} chunks done, ${chunks.running} running`;
}

function codeOfEnd(job: Job): ExitCode | null {
  if (!isFinal(job.status.state)) return null;
  return job.status.state === 'done' ? exitCode.ok : exitCode.jobFailed;
}

function codeOfPlacing(job: Job): ExitCode | null {
  const { chunks, state, waiting } = job.status;
  if (isFinal(state)) return codeOfEnd(job);
  if (chunks.scheduled + chunks.running + chunks.done > 0) return exitCode.ok;
  return (waiting ?? []).length > 0 ? exitCode.notPlaced : null;
}

/** Says on stderr how it ended; the data went to stdout already. */
export function sayEnding(terminal: Terminal, { job, code }: Ending): void {
  const { chunks, reason, state, waiting } = job.status;
  if (code === exitCode.jobFailed) {
    const dead = chunks.dead > 0 ? `, ${chunks.dead} of ${chunks.total} chunks failed` : '';
    const why = reason === null || reason === state ? '' : ` (${reason})`;
    terminal.say(`Job ${job.id} ${state}${why}${dead}.`);
    if (chunks.dead > 0)
      terminal.say(`  Their output: edgewise logs ${job.id}   again: edgewise job retry ${job.id}`);
  }
  if (code === exitCode.notPlaced) {
    terminal.say(`Job ${job.id} is accepted, but nothing can run it now:`);
    for (const one of waiting ?? []) terminal.say(`  ${waitingText(one)}`);
  }
}
