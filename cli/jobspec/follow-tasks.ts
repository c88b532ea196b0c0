import type { JobspecAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { makeSafeText } from '../../core/live/safe-text.ts';
import type { Api } from '../client/api.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { followJob } from '../job/follow-logs.ts';
import { followedChunksMax } from '../limits.ts';
import { type OutputWriter, wholeLines } from '../output/program-output.ts';
import type { Terminal } from '../terminal.ts';

/**
 * What tasks with `watch: true` print, as they print it, each line under the name of its task. It
 * goes where messages go: stdout has the id, and nothing else. Those of a group are one job.
 */
export async function followTasks(
  api: Api,
  terminal: Terminal,
  { jobs }: Pick<JobspecAnswer, 'jobs'>,
  isOver: () => boolean,
): Promise<void> {
  const watched = jobs.filter(({ job }) => job.spec.keepOutput === 'all');
  const follow = async ({ task, job }: JobspecAnswer['jobs'][number]): Promise<void> => {
    const wordFor = (chunk: number) => (job.spec.chunks === 1 ? task : `${task} ${chunk}`);
    const writerFor = (chunk: number) => wholeLines(messages(terminal), `[${wordFor(chunk)}] `);
    try {
      await followJob(api, terminal, job.id, { writerFor, isOver, ended: true });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // It was never made, because what it waits for failed; or it was removed.
      if (error.code === exitCode.notFound) return;
      terminal.say(`What "${task}" prints cannot be shown: ${error.message}`);
    }
  };
  await Promise.all(watched.slice(0, followedChunksMax).map(follow));
}

/** Gets whole lines. */
function messages(terminal: Terminal): OutputWriter {
  const decoder = new TextDecoder();
  return {
    write(bytes) {
      const text = decoder.decode(bytes, { stream: true }).replace(/\n$/, '');
      for (const line of text.split('\n')) {
        const safe = makeSafeText();
        terminal.say(`${safe.add(line)}${safe.end()}`);
      }
    },
    end() {},
  };
}
