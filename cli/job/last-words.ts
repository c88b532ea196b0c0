import type { Chunk, Job, Page } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { lastLineShownMax, lastWordsAtOnce, lastWordsJobsMax } from '../limits.ts';
import { jobPath } from './input/job-reference.ts';

/**
 * How a job in a wide list ended: the exit code and the last line of its first failed chunk, or of
 * its first where none failed. Nothing of what nobody kept, and of jobs behind the first screen.
 */
export type LastWords = { readonly exitCode: number | null; readonly line: string | null };

export async function readLastWords(
  api: Api,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, LastWords>> {
  const ended = jobs.filter(({ status: { chunks } }) => chunks.done + chunks.dead > 0);
  const left = ended.slice(0, lastWordsJobsMax);
  const found = new Map<string, LastWords>();
  const lane = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      // A job that is removed meanwhile is no reason to show no list.
      const words = await lastWordsOf(api, job).catch(() => null);
      if (words !== null) found.set(job.id, words);
    }
  };
  await Promise.all(Array.from({ length: lastWordsAtOnce }, lane));
  return found;
}

async function lastWordsOf(api: Api, { id, status }: Job): Promise<LastWords | null> {
  const state = status.chunks.dead > 0 ? 'dead' : 'done';
  const page: Page<Chunk> = await api.get(jobPath(id, '/chunks'), { state, limit: 1 });
  const [chunk] = page.items;
  if (chunk === undefined) return null;
  const exitCode = chunk.exitCode ?? null;
  if (chunk.output === undefined) return { exitCode, line: null };
  const bytes = await api.bytes(jobPath(id, `/chunks/${chunk.chunk}/output`));
  return { exitCode, line: lastLineOf(bytes.toString('utf8')) };
}

/** Cut between characters, as people count them. */
export function lastLineOf(text: string): string | null {
  const line = text.split(/[\r\n]+/).findLast((one) => one.trim() !== '');
  if (line === undefined) return null;
  const characters = new Intl.Segmenter('en').segment(line.trim());
  const parts = Array.from(characters, ({ segment }) => segment);
  return parts.slice(0, lastLineShownMax).join('');
}
