import type {
  JobspecAnswer,
  SubmissionAnswer,
} from '../../core/contract/jobspec/jobspec-answer.ts';
import { isFinal } from '../../core/model/job.ts';
import type { Api } from '../client/api.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { awaitEnding } from '../job/await-ending.ts';
import type { Wait } from '../job/job-ending.ts';
import type { Output } from '../output/output.ts';
import type { Terminal } from '../terminal.ts';
import { jobspecPath } from './jobspec-view.ts';

type Ending = { readonly submission: SubmissionAnswer; readonly code: ExitCode };

/** Waits for all of a jobspec: until it has ended, or until something of it is placed. */
export async function awaitSubmission(
  api: Api,
  terminal: Terminal,
  id: string,
  { goal, limitMs, limit }: Wait,
): Promise<Ending> {
  const { found, code } = await awaitEnding<SubmissionAnswer>(terminal, limitMs, {
    look: () => api.get<SubmissionAnswer>(jobspecPath(id)),
    codeOf: goal === 'done' ? codeOfEnd : codeOfPlacing,
    percentOf: ({ status }) => status.percent,
    barText: ({ status: { state, tasks } }) =>
      `${state}, ${tasks.done} of ${tasks.total} tasks done`,
    tooLong: (submission) => tooLong(id, submission, limit),
    interrupted: () => {
      const remedy = `Cancel it: edgewise jobspec cancel ${id}`;
      return new Failure(exitCode.interrupted, `Stopped waiting; jobspec ${id} goes on.`, remedy);
    },
  });
  return { submission: found, code };
}

function tooLong(id: string, found: SubmissionAnswer | null, limit: string): Failure {
  const state = found === null ? 'not known to have ended' : `still ${found.status.state}`;
  const remedy = `It goes on. Look again: edgewise jobspec get ${id}`;
  return new Failure(exitCode.timedOut, `Jobspec ${id} is ${state} after ${limit}.`, remedy);
}

export function codeOfEnd({ status }: Pick<SubmissionAnswer, 'status'>): ExitCode | null {
  if (!isFinal(status.state)) return null;
  return status.state === 'done' ? exitCode.ok : exitCode.jobFailed;
}

function codeOfPlacing(found: SubmissionAnswer): ExitCode | null {
  const ended = codeOfEnd(found);
  if (ended !== null) return ended;
  if (found.cluster === null) return exitCode.notPlaced;
  const { running, done } = found.status.tasks;
  return running + done > 0 ? exitCode.ok : null;
}

/** The id on stdout, and with `--wait` an exit code that says how it ended. */
export async function finishSubmission(
  answer: Pick<JobspecAnswer, 'id'>,
  wait: Wait | null,
  { api, output, terminal }: { api: Api; output: Output; terminal: Terminal },
): Promise<ExitCode> {
  const { id } = answer;
  const isPlain = output.format === 'table' || output.format === 'name';
  if (isPlain) terminal.out(`${id}\n`);
  if (wait === null) {
    if (!isPlain) output.single(answer, id, () => `${id}\n`);
    return exitCode.ok;
  }
  const { submission, code } = await awaitSubmission(api, terminal, id, wait);
  if (!isPlain) output.single(submission, id, () => `${id}\n`);
  const { state, reason } = submission.status;
  if (code === exitCode.jobFailed) {
    terminal.say(`Jobspec ${id} ${state}${reason === null ? '' : ` (${reason})`}.`);
    terminal.say(`  What failed: edgewise jobspec get ${id}   again: edgewise jobspec retry ${id}`);
  }
  if (code === exitCode.notPlaced) {
    terminal.say(`Jobspec ${id} is accepted, but nobody has what it asks for now.`);
  }
  return code;
}
