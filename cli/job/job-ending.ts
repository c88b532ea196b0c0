import type { Api } from '../client/api.ts';
import { isFinal, type Job } from '../client/resources.ts';
import { parseDurationMs } from '../duration.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { placedMsDefault, pollFirstMs, pollMsMax, waitMsDefault } from '../limits.ts';
import { progressBar } from '../output/progress-bar.ts';
import type { Terminal } from '../terminal.ts';
import { jobPath } from './job-reference.ts';

/**
 * Waits for a job: until it has ended, or until something of it is placed. The job is asked for
 * ever less often, up to once a second. What ends the wait is told by the exit code, so that a
 * script needs nothing else.
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

export function readGoal(mode: string | undefined): Goal | null {
  if (mode === undefined) return null;
  return mode === 'placed' ? 'placed' : 'done';
}

export type Ending = { readonly job: Job; readonly code: ExitCode };

export async function awaitJob(
  api: Api,
  terminal: Terminal,
  id: string,
  goal: Goal,
  timeout: string | undefined,
): Promise<Ending> {
  const limitMs =
    timeout === undefined
      ? goal === 'placed'
        ? placedMsDefault
        : waitMsDefault
      : parseDurationMs(timeout, 'timeout');
  const bar = progressBar(terminal);
  const startMs = terminal.nowMs();
  let pauseMs = pollFirstMs;
  try {
    for (;;) {
      const job: Job = await api.get(jobPath(id));
      const code = goal === 'done' ? codeOfEnd(job) : codeOfPlacing(job);
      if (code !== null) return { job, code };
      bar.draw(job.status.percent, barText(job));
      const leftMs = limitMs - (terminal.nowMs() - startMs);
      if (leftMs <= 0) {
        throw new Failure(
          exitCode.timedOut,
          `Job ${id} is still ${stateText(job)} after ${timeout ?? `${limitMs / 1_000}s`}.`,
          `It goes on. Look again: edgewise watch ${id}   why it waits: edgewise explain ${id}`,
        );
      }
      await terminal.sleep(Math.min(pauseMs, leftMs));
      if (terminal.interrupted.aborted) {
        throw new Failure(
          exitCode.failure,
          `Stopped waiting; job ${id} goes on.`,
          `Cancel it: edgewise job cancel ${id}`,
        );
      }
      pauseMs = Math.min(pollMsMax, pauseMs * 1.5);
    }
  } finally {
    bar.clear();
  }
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
    terminal.say(`Job ${job.id} ${state}${reason === null ? '' : ` (${reason})`}${dead}.`);
    if (chunks.dead > 0)
      terminal.say(`  Their output: edgewise logs ${job.id}   again: edgewise job retry ${job.id}`);
  }
  if (code === exitCode.notPlaced) {
    terminal.say(`Job ${job.id} is accepted, but nothing can run it now:`);
    for (const one of waiting ?? []) terminal.say(`  ${one.chunks} × ${one.reason}: ${one.detail}`);
  }
}
