import type { EdgeAnswer } from '../../../core/contract/edge-answer.ts';
import { type CellEdge, noEdgeWork } from '../../../core/model/cell.ts';
import { unavailableFor } from '../../../core/model/edge-state.ts';
import { cellEdgesMax } from '../../../core/model/limits.ts';
import { compareCells, edgeNameOf } from '../../../core/model/names.ts';
import { presentAt } from '../../../core/model/presence.ts';
import { type MatchedCluster, stateAt } from '../../../core/ports/clusters.ts';
import type { StoredEdge } from '../../../core/ports/edges.ts';
import type { StoredPool } from '../../../core/ports/pools.ts';
import { placeClustersMax, placeHostsMax } from '../../../core/selection/limits.ts';
import type { FreeHost, PlaceCandidate } from '../../../core/selection/place-jobspec.ts';
import { edgeViews } from '../edges/view/visible-edge.ts';
import type { Ports } from '../ports.ts';

export type CandidateDeps = Pick<Ports, 'edges' | 'pools' | 'clusters'>;

export type Candidates = {
  readonly all: readonly PlaceCandidate[];
  /** The pool has more clusters, or more hosts, than are looked at for one jobspec. */
  readonly hasMore: boolean;
  /** With its defaults of how a cluster is chosen; `null` where nobody has named it. */
  readonly pool: StoredPool | null;
};

export type Where = {
  readonly pool: string;
  readonly named: readonly string[] | null;
  /** Also whether it takes anything now. */
  readonly live: boolean;
};

/** How many are looked at, of clusters and of hosts. */
type Bounds = { readonly clusters: number; readonly hosts: number };

const bounds: Bounds = { clusters: placeClustersMax, hosts: placeHostsMax };

/**
 * Who may get a jobspec: each cluster of the pool, whatever is free there; and its hosts, together
 * one cluster that has the pool's name. Of hosts only those that could get work now are counted.
 * Of a pool that has more than are looked at, clusters that are named are found nevertheless.
 */
export async function candidatesOf(
  { pool, named, live }: Where,
  nowMs: number,
  deps: CandidateDeps,
  max: Bounds = bounds,
): Promise<Candidates> {
  const [listed, graphs] = await Promise.all([
    edgesOf(pool, max.hosts, deps),
    graphsOf(pool, named, max.clusters, deps),
  ]);
  const edges = [...listed.edges, ...(await clustersBeyond(listed.edges, graphs.found, deps))];
  const views = await viewsOf(edges, nowMs, deps);
  const clusters: PlaceCandidate[] = [];
  for (const { record, digest } of graphs.found) {
    const edge = edges.find(({ name }) => name === record.edge);
    const view = views.get(record.edge);
    if (edge === undefined || view === undefined) continue;
    const facts = new Map(Object.entries(edge.facts?.flat ?? {}));
    clusters.push({
      kind: 'cluster',
      name: record.edge,
      state: new Map([...stateAt(record.state, nowMs)].map(([key, { value }]) => [key, value])),
      free: new Map(Object.entries(view.free)),
      graph: { digest, facts },
      executor: executorOn(facts),
      givesAlone: givesAlone(edge, facts),
      away: live ? awayOf(edge, nowMs) : null,
    });
  }
  const known = new Set(clusters.map(({ name }) => name));
  const hosts = edges
    .filter((edge) => edge.cluster?.graph == null && isOpen(edge, nowMs))
    .map((edge) => hostOf(edge, views.get(edge.name)!));
  const hasMore = listed.hasMore || graphs.hasMore;
  const stored = listed.pool;
  if (hosts.length === 0) return { all: clusters, hasMore, pool: stored };
  // A cluster may have the name of its pool.
  const name = known.has(pool) ? `${pool}-hosts` : pool;
  const free = mostFree(hosts);
  const ofHosts: PlaceCandidate = { kind: 'hosts', name, state: new Map(), free, hosts };
  return { all: [...clusters, ofHosts], hasMore, pool: stored };
}

/** The first by name, and of the others those that are named. */
async function graphsOf(
  pool: string,
  named: readonly string[] | null,
  max: number,
  { clusters }: CandidateDeps,
): Promise<{ readonly found: readonly MatchedCluster[]; readonly hasMore: boolean }> {
  const page = await clusters.ofPool(pool, null, max + 1);
  const found = page.slice(0, max);
  if (page.length <= max) return { found, hasMore: false };
  const known = new Set<string>(found.map(({ record }) => record.edge));
  for (const name of (named ?? []).filter((it) => !known.has(it))) {
    const record = await clusters.find(edgeNameOf(name));
    if (record?.pool !== pool || record.graph === null) continue;
    const digest = await clusters.digestOf(record.edge);
    if (digest !== null) found.push({ record, digest });
  }
  return { found, hasMore: named === null };
}

/** A large pool may list its hosts before its clusters. */
async function clustersBeyond(
  edges: readonly StoredEdge[],
  graphs: readonly MatchedCluster[],
  deps: CandidateDeps,
): Promise<readonly StoredEdge[]> {
  const known = new Set<string>(edges.map(({ name }) => name));
  const found: StoredEdge[] = [];
  for (const { record } of graphs) {
    if (known.has(record.edge)) continue;
    const identity = await deps.edges.remains(record.edge);
    const edge = identity === null ? null : await deps.edges.load(identity.cell, record.edge);
    if (edge !== null) found.push(edge);
  }
  return found;
}

function executorOn(facts: ReadonlyMap<string, unknown>): 'process' | 'slurm' | 'flux' {
  const has = (name: string) =>
    facts.has(`executors.${name}`) && facts.get(`executors.${name}`) !== false;
  if (has('flux')) return 'flux';
  return has('slurm') ? 'slurm' : 'process';
}

/** By an option of Slurm or Flux, or by a scheduler of its own: that one reads the jobspec. */
function givesAlone({ config }: StoredEdge, facts: ReadonlyMap<string, unknown>): boolean {
  if (executorOn(facts) !== 'process') return true;
  return config.pull != null && ![...facts.keys()].some((name) => name.startsWith('executors.'));
}

async function viewsOf(
  edges: readonly StoredEdge[],
  nowMs: number,
  deps: CandidateDeps,
): Promise<ReadonlyMap<string, EdgeAnswer>> {
  const views = new Map<string, EdgeAnswer>();
  for (const cell of new Set(edges.map((edge) => edge.cell))) {
    const own = edges.filter((edge) => edge.cell === cell);
    for (const view of await edgeViews(deps, own, nowMs)) views.set(view.name, view);
  }
  return views;
}

async function edgesOf(
  pool: string,
  max: number,
  deps: CandidateDeps,
): Promise<Pick<Candidates, 'hasMore' | 'pool'> & { readonly edges: readonly StoredEdge[] }> {
  const { cells, pool: stored } = await deps.pools.find(pool);
  const found: StoredEdge[] = [];
  const filled = cells.filter(({ edges }) => edges > 0);
  for (const { id } of filled.sort((a, b) => compareCells(a.id, b.id))) {
    if (found.length > max) break;
    found.push(...(await deps.edges.listCell(id, null, cellEdgesMax)));
  }
  return { edges: found.slice(0, max), hasMore: found.length > max, pool: stored };
}

function isOpen(edge: StoredEdge, nowMs: number): boolean {
  return edge.unreadable === undefined && closedBy(edge, nowMs) === null;
}

function closedBy(stored: StoredEdge, nowMs: number): Mismatch | null {
  const edge = presentAt(stored, nowMs);
  const work = edge.work ?? noEdgeWork;
  return unavailableFor(edge, work, work, nowMs);
}

/** A cluster that takes work by itself is there as long as it asks for some. */
function awayOf(edge: StoredEdge, nowMs: number): Mismatch | null {
  if (edge.unreadable !== undefined) {
    return { reason: 'edge-cordoned', detail: 'its rows cannot be read' };
  }
  const closed = closedBy(edge, nowMs);
  if (closed === null || closed.reason === 'awaits-accept') return null;
  return closed.reason === 'edge-disconnected' ? { ...closed, reason: 'disconnected' } : closed;
}

type Mismatch = { readonly reason: string; readonly detail: string };

function hostOf(edge: StoredEdge, view: EdgeAnswer): FreeHost {
  const { name, config, facts } = edge;
  const matched: Pick<CellEdge, 'name' | 'config' | 'facts'> = { name, config, facts };
  return {
    name,
    capacity: new Map(Object.entries(view.capacity)),
    free: new Map(Object.entries(view.free)),
    facts: new Map(Object.entries(facts?.flat ?? {})),
    edge: matched,
  };
}

/** Of each amount what the host has that has most of it. */
function mostFree(hosts: readonly FreeHost[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { free } of hosts) {
    for (const [name, amount] of free) most.set(name, Math.max(amount, most.get(name) ?? 0));
  }
  return most;
}
