import type { Chunk, Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import type { Api } from '../client/api.ts';
import { listPages } from '../client/pages.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { followedChunksMax, followWaitSeconds, pollMsMax } from '../limits.ts';
import { type OutputWriter, wholeLines, writeOutput } from '../output/program-output.ts';
import type { Terminal } from '../terminal.ts';
import { patienceOf } from './await-ending.ts';
import { jobPath } from './input/job-reference.ts';

/**
 * `logs -f`: what a chunk prints, as it prints it, to its end. Without a chunk: of all that run,
 * as many as can be followed at once, each line under the number of its chunk.
 */
export async function followChunk(
  client: Api,
  terminal: Terminal,
  { id, chunk }: { readonly id: string; readonly chunk: number },
  writer: OutputWriter = writeOutput(terminal),
): Promise<void> {
  const patience = patienceOf(terminal);
  let offset = 0;
  let attempt: number | undefined;
  while (!terminal.interrupted.aborted) {
    const query = { offset, attempt, waitSeconds: followWaitSeconds };
    const path = jobPath(id, `/chunks/${chunk}/output`);
    const part = await patience.ask(() => client.raw(path, query));
    if (part === null) {
      await terminal.sleep(pollMsMax);
      continue;
    }
    const now = Number(part.header('edgewise-attempt') ?? 1);
    const next = Number(part.header('edgewise-next-offset') ?? offset + part.bytes.length);
    if (attempt !== undefined && now !== attempt) {
      writer.end();
      terminal.say(`== chunk ${chunk}, attempt ${now}`);
      offset = 0;
    }
    const missed = next - part.bytes.length - offset;
    if (missed > 0 && part.bytes.length > 0) {
      writer.end();
      terminal.say(`== ${missed} bytes of chunk ${chunk} are not kept`);
    }
    writer.write(part.bytes);
    [attempt, offset] = [now, next];
    if (part.header('edgewise-complete') === 'true') break;
  }
  writer.end();
}

export type Following = {
  readonly writerFor: (chunk: number) => OutputWriter;
  /** Nobody waits for it any more. */
  readonly isOver: () => boolean;
  /** Also what was kept of chunks that had ended before they were seen to run. */
  readonly ended: boolean;
};

const toStdout = (terminal: Terminal): Following => ({
  writerFor: (chunk) => wholeLines(writeOutput(terminal), `[${chunk}] `),
  isOver: () => false,
  ended: false,
});

export async function followJob(
  client: Api,
  terminal: Terminal,
  id: string,
  { writerFor, isOver, ended }: Following = toStdout(terminal),
): Promise<void> {
  const patience = patienceOf(terminal);
  const active = new Map<number, Promise<void>>();
  const seen = new Set<number>();
  let failure: unknown = null;
  const begin = (chunk: number): void => {
    seen.add(chunk);
    const following = followChunk(client, terminal, { id, chunk }, writerFor(chunk))
      .catch((error: unknown) => {
        // One that printed nothing that is kept is no reason to leave the others.
        if (!(error instanceof Failure && error.code === exitCode.notFound)) failure ??= error;
      })
      .finally(() => active.delete(chunk));
    active.set(chunk, following);
  };
  let rest = ended;
  while (!terminal.interrupted.aborted && failure === null && !isOver()) {
    const job = await patience.ask(() => client.get<Job>(jobPath(id)));
    const room = followedChunksMax - active.size;
    const isEnd = job !== null && isFinal(job.status.state);
    const isLate = isEnd && rest;
    if ((job?.status.state === 'running' || isLate) && room > 0) {
      if (isLate) rest = false;
      const query = isLate ? {} : { state: 'running' };
      const page = await listPages<Chunk>(client, jobPath(id, '/chunks'), query, followedChunksMax);
      const fresh = page.items.filter(({ chunk }) => !seen.has(chunk));
      for (const { chunk } of fresh.slice(0, room)) begin(chunk);
    }
    if (isEnd && active.size === 0) break;
    await Promise.race([terminal.sleep(pollMsMax), ...active.values()]);
  }
  await Promise.all(active.values());
  if (failure !== null) throw failure;
}
