import type { ChunkAnswer } from '../../../../core/contract/job-answer.ts';
import { type ChunkBoard, placeOf } from '../../../../core/jobs/chunk-board.ts';
import type { EdgeName } from '../../../../core/model/names.ts';
import type { StoredJob } from '../../../../core/model/stored-job.ts';
import type { StoredEdge } from '../../../../core/ports/edges.ts';
import { namedValue } from '../../../../core/protocol/named-values.ts';
import type { Ports } from '../../ports.ts';

type InstancePorts = NonNullable<ChunkAnswer['ports']>;

/**
 * Where instances are reached: their edges say it in their reports, and nothing of it is stored
 * besides. Of a job that has no ports nothing is read.
 */
export async function portsOfInstances(
  job: StoredJob,
  board: ChunkBoard,
  chunks: readonly number[],
  { edges }: Pick<Ports, 'edges'>,
): Promise<ReadonlyMap<number, InstancePorts>> {
  const found = new Map<number, InstancePorts>();
  if (job.spec.ports === undefined) return found;
  const places = new Map<number, EdgeName>();
  for (const chunk of chunks) {
    const { state, edge } = placeOf(board, chunk, null);
    if (state === 'running' && edge !== null) places.set(chunk, edge);
  }
  if (places.size === 0) return found;
  const names = [...new Set(places.values())];
  const cells = await edges.cellsOf(names);
  const loaded = await Promise.all(
    names.map((name) => {
      const cell = cells.get(name);
      return cell === undefined ? null : edges.load(cell, name);
    }),
  );
  const byName = new Map(loaded.map((edge) => [edge?.name, edge]));
  for (const [chunk, name] of places) {
    const edge = byName.get(name);
    if (edge != null) found.set(chunk, portsIn(job, edge, chunk));
  }
  return found;
}

/** As the spec names them, in its order. */
function portsIn({ id, spec }: StoredJob, edge: StoredEdge, chunk: number): InstancePorts {
  const given = edge.report?.progress?.jobs.get(id)?.ports?.get(chunk);
  const address = namedValue(edge.allFacts, 'address');
  const host = typeof address === 'string' ? address : null;
  return (spec.ports ?? []).flatMap(({ name, protocol }) => {
    const port = given?.get(name);
    return port === undefined ? [] : [{ name, host, port, protocol }];
  });
}
