import { createHash } from 'node:crypto';
import type { JobBody } from '../../core/contract/job-body.ts';
import type { Surroundings } from '../../core/jobs/submit.ts';
import { cellEdgesMax } from '../../core/model/limits.ts';
import { type EdgeName, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { EdgesStore } from '../../core/ports/edges.ts';
import type { JobsStore } from '../../core/ports/jobs.ts';
import type { PoolCells } from '../../core/ports/pools.ts';
import { type EdgeAsked, runsMachines } from '../../core/runs/unsupported-run.ts';

export type SurroundingsDeps = {
  readonly jobs: Pick<JobsStore, 'findMany' | 'named'>;
  readonly edges: Pick<EdgesStore, 'cellsOf' | 'listCell'>;
};

/** Loads what decides where a new job goes, and whether it has to wait for others. */
export async function surroundingsOf(
  deps: SurroundingsDeps,
  body: JobBody,
  pool: Promise<PoolCells>,
): Promise<Surroundings> {
  const edges = body.requires.edges.map(edgeNameOf);
  const parents = body.dependsOn.map(jobIdOf);
  const [cells, found, namedCells, named, machines] = await Promise.all([
    pool,
    parents.length === 0 ? [] : deps.jobs.findMany(parents),
    edges.length === 0 ? null : cellsOf(deps, edges),
    body.uniqueName === true && body.name !== null ? namedIn(deps, body.pool, body.name) : null,
    machinesFor(body, pool, deps),
  ]);
  const more = { ...(named !== null && { named }), ...(machines !== null && { machines }) };
  return { ...cells, parents: found, namedCells, ...more };
}

async function cellsOf({ edges }: SurroundingsDeps, names: readonly EdgeName[]) {
  return new Set((await edges.cellsOf(names)).values());
}

/** Edges of the pool that run virtual machines; `null`: the job asks for none. */
export async function machinesFor(
  { run }: Pick<JobBody, 'run'>,
  pool: Promise<PoolCells>,
  { edges }: Pick<SurroundingsDeps, 'edges'>,
): Promise<readonly EdgeAsked[] | null> {
  if (run?.vm === undefined) return null;
  const found: EdgeAsked[] = [];
  for (const { id } of (await pool).metas) {
    found.push(...(await edges.listCell(id, null, cellEdgesMax)).filter(runsMachines));
  }
  return found;
}

async function namedIn({ jobs }: SurroundingsDeps, pool: string, name: string) {
  const { jobs: ids, last } = await jobs.named(pool, name);
  return { jobs: await jobs.findMany(ids), last };
}

/** By which agents know a spec that they have. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
