import type { ChunkAnswer } from '../../../../core/contract/job-answer.ts';
import {
  boardOf,
  type ChunkBoard,
  type InstancePlace,
  placeOf,
} from '../../../../core/jobs/chunk-board.ts';
import { executionsBoardMax } from '../../../../core/model/limits.ts';
import type { EdgeName, JobId } from '../../../../core/model/names.ts';
import type { Execution } from '../../../../core/model/plan.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import type { JobsStore, StoredChunk } from '../../../../core/ports/jobs.ts';
import { asTable, type Parameters } from '../../../../core/sweeps/parameters.ts';
import { executionsPageMax } from '../../../limits.ts';
import { timeOf, timeOrNull } from './job-view.ts';

/** How a chunk looks from outside. */
export async function loadBoard(jobs: JobsStore, found: JobWithStatus): Promise<ChunkBoard> {
  const [cells, executions] = await Promise.all([
    jobs.cellStatuses(found.job.id),
    allExecutions(jobs, found.job.id),
  ]);
  return boardOf(found, cells, executions);
}

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

function instanceView({ lastExit, ...instance }: InstancePlace) {
  if (lastExit === null) return { ...instance, lastExit };
  const { exitCode, reason, atMs } = lastExit;
  return { ...instance, lastExit: { exitCode, reason, at: timeOf(atMs) } };
}

type Besides = {
  readonly parameters: Parameters | undefined;
  readonly ports: ChunkAnswer['ports'];
};

export function chunkView(
  id: JobId,
  board: ChunkBoard,
  chunk: number,
  stored: StoredChunk | null,
  { parameters, ports }: Besides,
): ChunkAnswer {
  const place = placeOf(board, chunk, stored?.end ?? null);
  const { startedAtMs, endedAtMs, within, instance, ...rest } = place;
  const output = stored?.output ?? null;
  const outputPath = `/v1/jobs/${id}/chunks/${chunk}/output`;
  const result = stored?.result;
  return {
    chunk,
    ...rest,
    ...(instance !== null && instanceView(instance)),
    startedAt: timeOrNull(startedAtMs),
    endedAt: timeOrNull(endedAtMs),
    within: within && { from: timeOf(within.fromMs), to: timeOrNull(within.toMs) },
    ...(output === null ? {} : { output: outputPath }),
    ...(stored?.errors === undefined ? {} : { stderr: `${outputPath}?stream=stderr` }),
    ...(ports === undefined ? {} : { ports }),
    ...(parameters === undefined ? {} : { params: asTable(parameters) }),
    ...(result === undefined ? {} : { files: { count: result.files, bytes: result.bytes } }),
  };
}
