import type { JobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { ChunkName, EndedChunk } from '../executors/executor.ts';
import type { EdgeDeps } from './edge-deps.ts';
import { type EndBatch, hasResults, takeSent } from './ended-chunks.ts';
import type { RunningChunk, Step } from './next-steps.ts';
import type { RunningChunks } from './running-chunks.ts';

/** Chunks of one edge that ended, until what they left is safe. */
export type SendingResults = {
  /** Whether what the chunk left is needed when its end has been taken in. */
  needs(chunk: EndedChunk): boolean;
  /** False: nothing has changed yet. */
  send(step: Extract<Step, { readonly kind: 'send-results' }>): false;
  /** The chunk is no longer this edge's; false for one that has not ended. */
  drop(job: JobId, chunk: number, known: RunningChunk): boolean;
  /** Those whose directories are needed still. */
  names(): ChunkName[];
};

export function makeSendingResults(
  deps: Pick<EdgeDeps, 'name' | 'journal' | 'results' | 'secret'>,
  running: RunningChunks,
  /** Takes in what ended; without a batch the chunk may run again. */
  count: (job: JobId, batch: EndBatch | null) => void,
): SendingResults {
  const { name: edge, journal, results, secret } = deps;
  return {
    needs({ name: { job, chunk }, end }) {
      const known = running.byJob.get(job)?.get(chunk);
      if (known === undefined || known.stopping || end.kind === 'stopped') return false;
      return hasResults(known, end.kind === 'failed' ? end.failure : null);
    },
    send({ job, chunk, attempt, isDone, spec }) {
      const name = { edge, job, chunk, attempt };
      results.send({ name, spec, isDone, secret }, (outcome) => {
        const batch = takeSent(name, outcome, running, spec.restart !== undefined);
        if (batch === null) journal.append({ k: 'unsent', e: edge, j: job, c: chunk });
        else journal.append(...batch.records(edge));
        count(job, batch);
      });
      return false;
    },
    drop(job, chunk, { attempt, sending }) {
      if (sending === undefined) return false;
      running.ended(job, chunk);
      journal.append({ k: 'unsent', e: edge, j: job, c: chunk });
      results.drop({ edge, job, chunk, attempt });
      return true;
    },
    names() {
      const names: ChunkName[] = [];
      for (const [job, chunks] of running.sending()) {
        for (const [chunk, { attempt }] of chunks) names.push({ edge, job, chunk, attempt });
      }
      return names;
    },
  };
}

/**
 * What has to be remembered of a chunk that begins, or that outlived the agent's last life: when it
 * ends, its job may be asked for by another spec, which is not known yet.
 */
export function rememberedOf(
  spec: Pick<AgentSpec, 'outputs' | 'restart'> | null,
): Pick<RunningChunk, 'results' | 'isInstance'> {
  // Of a job that nobody knows any more nothing counts that might have had results.
  if (spec === null) return { results: 'always' };
  return {
    ...(spec.outputs === undefined ? {} : { results: spec.outputs.on }),
    ...(spec.restart === undefined ? {} : { isInstance: true }),
  };
}
