import { createHash } from 'node:crypto';
import type { JobBody } from '../../core/contract/job-body.ts';
import type { Surroundings } from '../../core/jobs/submit.ts';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { EdgesStore } from '../../core/ports/edges.ts';
import type { JobsStore } from '../../core/ports/jobs.ts';
import type { PoolCells } from '../../core/ports/pools.ts';

export type SurroundingsDeps = {
  readonly jobs: Pick<JobsStore, 'findMany' | 'named'>;
  readonly edges: Pick<EdgesStore, 'cellsOf'>;
};

/** Loads what decides where a new job goes, and whether it has to wait for others. */
export async function surroundingsOf(
  deps: SurroundingsDeps,
  body: JobBody,
  pool: Promise<PoolCells>,
): Promise<Surroundings> {
  const edges = body.requires.edges.map(edgeNameOf);
  const parents = body.dependsOn.map(jobIdOf);
  const [cells, found, namedCells, named] = await Promise.all([
    pool,
    parents.length === 0 ? [] : deps.jobs.findMany(parents),
    edges.length === 0 ? null : deps.edges.cellsOf(edges),
    body.uniqueName === true && body.name !== null ? namedIn(deps, body.pool, body.name) : null,
  ]);
  return { ...cells, parents: found, namedCells, ...(named !== null && { named }) };
}

async function namedIn({ jobs }: SurroundingsDeps, pool: string, name: string) {
  const { jobs: ids, last } = await jobs.named(pool, name);
  return { jobs: await jobs.findMany(ids), last };
}

/** By which agents know a spec that they have. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
