import type { ChunkAnswer } from '../../../../core/contract/job-answer.ts';
import { boardOf, type ChunkBoard, placeOf } from '../../../../core/jobs/chunk-board.ts';
import { executionsBoardMax } from '../../../../core/model/limits.ts';
import type { EdgeName, JobId } from '../../../../core/model/names.ts';
import type { Execution } from '../../../../core/model/plan.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import type { JobsStore, StoredChunk } from '../../../../core/ports/jobs.ts';
import { timeOrNull } from './job-view.ts';

/** How a chunk looks from outside. */
export async function loadBoard(jobs: JobsStore, found: JobWithStatus): Promise<ChunkBoard> {
  const [cells, executions] = await Promise.all([
    jobs.cellStatuses(found.job.id),
    allExecutions(jobs, found.job.id),
  ]);
  return boardOf(found, cells, executions);
}

const executionsPageMax = 1_000;

async function allExecutions(jobs: JobsStore, id: JobId): Promise<Execution[]> {
  const all: Execution[] = [];
  for (let after: EdgeName | null = null; all.length < executionsBoardMax; ) {
    const page = await jobs.executions(id, after, executionsPageMax);
    all.push(...page);
    if (page.length < executionsPageMax) break;
    after = page.at(-1)?.edge ?? null;
  }
  return all;
}

export function chunkView(
  id: JobId,
  board: ChunkBoard,
  chunk: number,
  stored: StoredChunk | null,
): ChunkAnswer {
  const { startedAtMs, endedAtMs, ...place } = placeOf(board, chunk, stored?.end ?? null);
  const output = stored?.output ?? null;
  return {
    chunk,
    ...place,
    startedAt: timeOrNull(startedAtMs),
    endedAt: timeOrNull(endedAtMs),
    ...(output === null ? {} : { output: `/v1/jobs/${id}/chunks/${chunk}/output` }),
  };
}
