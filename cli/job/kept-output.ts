import type { Chunk, Job } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { outputMsMax, pollMsMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { jobPath } from './input/job-reference.ts';

/**
 * A chunk has ended when its edge says so, and its output follows. What its job keeps is waited for
 * as long as that may take, and not of a chunk that ended before: it printed nothing, or its edge
 * is gone. `read` fails as long as it is not there.
 */
export async function onceKept<T>(
  client: Api,
  terminal: Terminal,
  { id, chunk }: { readonly id: string; readonly chunk: number },
  read: () => Promise<T>,
): Promise<T> {
  let leftMs: number | null = null;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isMissing(error) || terminal.interrupted.aborted) throw error;
      leftMs ??= await arrivesWithinMs(client, terminal, id, chunk);
      if (leftMs <= 0) throw error;
      const pauseMs = Math.min(pollMsMax / 4, leftMs);
      await terminal.sleep(pauseMs);
      leftMs -= pauseMs;
    }
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Failure && error.code === exitCode.notFound;
}

async function arrivesWithinMs(
  client: Api,
  terminal: Terminal,
  id: string,
  chunk: number,
): Promise<number> {
  const { spec, status } = await client.get<Job>(jobPath(id));
  const { state, endedAt } = await client.get<Chunk>(jobPath(id, `/chunks/${chunk}`));
  if (!keptStates[spec.keepOutput].includes(state)) return 0;
  const ended = endedAt ?? status.endedAt;
  const agoMs = ended === null ? 0 : Math.max(0, terminal.nowMs() - Date.parse(ended));
  return outputMsMax - agoMs;
}

const keptStates: Readonly<Record<Job['spec']['keepOutput'], readonly string[]>> = {
  none: [],
  failed: ['dead'],
  all: ['dead', 'done'],
};
