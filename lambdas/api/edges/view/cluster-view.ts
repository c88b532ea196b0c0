import type { StateAnswer } from '../../../../core/contract/clusters/cluster-body.ts';
import type { EdgeAnswer } from '../../../../core/contract/edge-answer.ts';
import type { ClusterRecord, StateValue } from '../../../../core/ports/clusters.ts';
import { stateAt } from '../../../../core/ports/clusters.ts';
import { timeOf } from '../../jobs/view/job-view.ts';

/** What of an edge is a cluster's: its graph in counts, and its state. */
export function clusterView(
  cluster: ClusterRecord | null,
  nowMs: number,
): Pick<EdgeAnswer, 'graph' | 'clusterState' | 'stateAt'> {
  const { state, updatedAt } = stateView(cluster?.state ?? new Map(), nowMs);
  return { graph: graphView(cluster), clusterState: state, stateAt: updatedAt };
}

function graphView(cluster: ClusterRecord | null): EdgeAnswer['graph'] {
  if (cluster === null || cluster.graph === null) return null;
  const { vertices, counts, hash, registeredAtMs } = cluster.graph;
  return {
    vertices,
    counts: { ...counts },
    subsystems: cluster.subsystems.map(({ name }) => name),
    hash,
    registeredAt: timeOf(registeredAtMs),
  };
}

export function stateView(state: ReadonlyMap<string, StateValue>, nowMs: number): StateAnswer {
  const now = [...stateAt(state, nowMs)].sort(([a], [b]) => (a < b ? -1 : 1));
  const newest = now.reduce<number | null>((max, [, { atMs }]) => Math.max(max ?? 0, atMs), null);
  return {
    state: Object.fromEntries(now.map(([key, { value }]) => [key, value])),
    updatedAt: newest === null ? null : timeOf(newest),
    keys: Object.fromEntries(now.map(([key, { atMs }]) => [key, timeOf(atMs)])),
  };
}
