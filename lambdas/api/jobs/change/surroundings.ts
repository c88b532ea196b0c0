import type { JobBody } from '../../../../core/contract/job-body.ts';
import type { Surroundings } from '../../../../core/jobs/submit.ts';
import { edgeNameOf, jobIdOf } from '../../../../core/model/names.ts';
import type { PoolCells } from '../../../../core/ports/pools.ts';
import type { SubmitDeps } from './write-ports.ts';

/** Loads what decides where a new job goes, and whether it has to wait for others. */
export async function surroundingsOf(
  deps: Pick<SubmitDeps, 'jobs' | 'edges'>,
  body: JobBody,
  pool: Promise<PoolCells>,
): Promise<Surroundings> {
  const edges = body.requires.edges.map(edgeNameOf);
  const parents = body.dependsOn.map(jobIdOf);
  const [cells, found, namedCells] = await Promise.all([
    pool,
    parents.length === 0 ? [] : deps.jobs.findMany(parents),
    edges.length === 0 ? null : deps.edges.cellsOf(edges),
  ]);
  return { ...cells, parents: found, namedCells };
}
