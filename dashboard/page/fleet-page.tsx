import { useMemo } from 'preact/hooks';
import type { Edge, Job, Stats } from '../../core/contract/resources.ts';
import { shortStatusOf } from '../../core/contract/short-status.ts';
import { PickButton, type Picking, usePicking } from '../component/bulk/use-picking.tsx';
import { EdgeBulk } from '../component/edge/edge-bulk.tsx';
import { EdgeTable } from '../component/fleet/edge-table.tsx';
import { FleetGrid } from '../component/fleet/fleet-grid.tsx';
import { FleetSide } from '../component/fleet/fleet-side.tsx';
import { FleetTotals } from '../component/fleet/fleet-totals.tsx';
import { RunningNow } from '../component/fleet/running-now.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { fleetJobsMax } from '../limits.ts';
import type { Collection } from '../live/collection.ts';
import { useCollection, useResource } from '../live/use-live.ts';
import { countStatuses, natural } from '../model/fleet-summary.ts';
import { go } from '../route/navigation.tsx';
import { type FleetFilter, noFleetFilter } from '../route/route.ts';

/** The first screen: how the fleet is, what it does, and what it cannot do. */
const statsEveryMs = 2_000;
const listsEveryMs = 3_000;

export function FleetPage({ filter }: { filter: FleetFilter }) {
  const stats = useResource<Stats>('/v1/stats', statsEveryMs);
  const edges = useCollection<Edge>('/v1/edges', listsEveryMs);
  const jobs = useCollection<Job>('/v1/jobs', listsEveryMs, fleetJobsMax);
  const all = edges.value?.items;
  const statuses = useMemo(() => countStatuses(all ?? []), [all]);
  const shown = useMemo(() => groupsOf(all ?? [], filter), [all, filter]);
  const flat = useMemo(() => shown.flatMap((group) => group.edges), [shown]);
  const count = flat.length;
  const picking = usePicking(flat, ({ name }) => name);
  const failing = [edges, stats, jobs].find(({ problem }) => problem !== null);
  const noticed = edges.value === null ? edges : (failing ?? edges);
  return (
    <div class="fleet">
      <h1 class="hidden">Fleet</h1>
      <FleetTotals stats={stats.value} statuses={statuses} filter={filter} />
      <div class="fleet-main">
        <section class="panel" aria-labelledby="edges-title">
          <EdgesHead {...{ filter, count, picking }} pools={poolsOf(all ?? [])} />
          {filter.view === 'table' && picking.isOn && (
            <EdgeBulk picking={picking} onDone={edges.refresh} />
          )}
          <FeedNotice live={noticed} what="edges" />
          {edges.value !== null && count === 0 && <NoEdges any={edges.value.items.length > 0} />}
          {count > 0 &&
            (filter.view === 'table' ? (
              <EdgeTable edges={flat} selection={picking.selection} toggle={picking.toggle} />
            ) : (
              <FleetGrid groups={shown} total={count} />
            ))}
          {filter.view === 'cells' && count > 0 && <LoadLegend />}
        </section>
        {filter.view === 'cells' && jobs.value !== null && <RunningNow jobs={jobs.value.items} />}
      </div>
      <FleetSide edges={all ?? []} jobs={jobsOf(jobs.value)} />
    </div>
  );
}

const noJobs: readonly Job[] = [];

function jobsOf(jobs: Collection<Job> | null): readonly Job[] {
  return jobs?.items ?? noJobs;
}

function poolsOf(edges: readonly Edge[]): string[] {
  return [...new Set(edges.map((edge) => edge.pool))].sort(natural);
}

function groupsOf(edges: readonly Edge[], filter: FleetFilter) {
  const wanted = filter.q.toLowerCase();
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (filter.status !== '' && shortStatusOf(edge) !== filter.status) continue;
    if (filter.pool !== '' && edge.pool !== filter.pool) continue;
    if (wanted !== '' && !matches(edge, wanted)) continue;
    const group = groups.get(edge.pool);
    if (group === undefined) groups.set(edge.pool, [edge]);
    else group.push(edge);
  }
  return [...groups]
    .sort(([a], [b]) => natural(a, b))
    .map(([pool, list]) => ({ pool, edges: list.sort((a, b) => natural(a.name, b.name)) }));
}

function matches(edge: Edge, wanted: string): boolean {
  if (edge.name.includes(wanted)) return true;
  for (const [key, value] of Object.entries(edge.labels ?? {})) {
    if (`${key}=${value}`.toLowerCase().includes(wanted)) return true;
  }
  return false;
}

type EdgesHeadProps = {
  readonly filter: FleetFilter;
  readonly count: number;
  readonly pools: readonly string[];
  readonly picking: Picking<Edge>;
};

function EdgesHead({ filter, count, pools, picking }: EdgesHeadProps) {
  const set = (change: Partial<FleetFilter>) =>
    go({ page: 'fleet', filter: { ...filter, ...change } }, 'replace');
  return (
    <div class="panel-head">
      <h2 id="edges-title">
        {count === 1 ? '1 edge' : `${count} edges`}
        {filter.status !== '' && <span class="soft">, {filter.status}</span>}
      </h2>
      <div class="tools">
        <input
          type="search"
          aria-label="Find edges by name or label"
          placeholder="name or label"
          value={filter.q}
          onInput={(event) => set({ q: event.currentTarget.value })}
        />
        {pools.length > 1 && (
          <select
            aria-label="Pool"
            value={filter.pool}
            onChange={(event) => set({ pool: event.currentTarget.value })}
          >
            <option value="">all pools</option>
            {pools.map((pool) => (
              <option key={pool}>{pool}</option>
            ))}
          </select>
        )}
        <fieldset class="switch">
          <legend class="hidden">View</legend>
          {(['cells', 'table'] as const).map((view) => (
            <button
              key={view}
              type="button"
              aria-pressed={filter.view === view}
              onClick={() => set({ view })}
            >
              {view}
            </button>
          ))}
        </fieldset>
        {filter.view === 'table' && <PickButton picking={picking} />}
      </div>
    </div>
  );
}

function NoEdges({ any }: { any: boolean }) {
  if (any) {
    return (
      <Empty title="No edge matches.">
        <button type="button" onClick={() => go({ page: 'fleet', filter: noFleetFilter })}>
          Show all edges
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="No edges yet.">
      <p>
        Start one: <code>edgewise agent --name edge-1</code>
      </p>
    </Empty>
  );
}

function LoadLegend() {
  return (
    <div class="load-legend" aria-hidden="true">
      <span>idle</span>
      {[0, 2, 4, 6, 8, 10].map((step) => (
        <span key={step} class={`cell l${step}`} />
      ))}
      <span>full</span>
      <span class="gap" />
      <span class="cell cell-late" /> late
      <span class="cell cell-lost" /> lost
      <span class="cell cell-drained" /> drained
    </div>
  );
}
