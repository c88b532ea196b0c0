import type { Edge, Pool, Stats } from '../../core/contract/resources.ts';
import { ManagementTabs } from '../component/management-tabs.tsx';
import { Meter } from '../component/meter.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { WindowList } from '../component/window-list.tsx';
import { useCollection, useResource } from '../live/use-live.ts';
import { type PoolRow, poolRows } from '../model/management/pool-rows.ts';
import { numberWords, powerWords } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';
import { noFleetFilter, noJobsFilter } from '../route/route.ts';

/** The pools: how large each is, what of it is free and what waits for it. */
const everyMs = 5_000;
const statsEveryMs = 2_000;
const columns = ['Pool', 'Edges', 'Power used', 'Waits for power', 'Placement', 'Believed at most'];

export function PoolsPage() {
  const pools = useCollection<Pool>('/v1/pools', everyMs);
  const stats = useResource<Stats>('/v1/stats', statsEveryMs);
  const edges = useCollection<Edge>('/v1/edges', everyMs);
  const failing = [pools, stats, edges].find(({ problem }) => problem !== null);
  const noticed = pools.value === null ? pools : (failing ?? pools);
  const rows = poolRows(pools.value?.items ?? [], edges.value?.items ?? [], stats.value);
  return (
    <section class="panel jobs" aria-labelledby="pools-title">
      <div class="panel-head">
        <h1 id="pools-title">
          {pools.value === null ? 'Pools' : rows.length === 1 ? '1 pool' : `${rows.length} pools`}
        </h1>
        <ManagementTabs at="pools" />
      </div>
      <FeedNotice live={noticed} what="pools" />
      {pools.value !== null && rows.length === 0 && (
        <Empty title="No pools yet.">
          <p>
            A pool is there as soon as an edge is enrolled in it. To name one before:{' '}
            <code>edgewise pool set north --description "the north site"</code>
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <WindowList
          items={rows}
          label="Pools"
          columns={columns}
          className="pool-table"
          keyOf={({ pool }) => pool.name}
          cells={poolCells}
        />
      )}
    </section>
  );
}

function poolCells({ pool, used, total, waiting }: PoolRow) {
  const { name, description, edges } = pool;
  return (
    <>
      <td class="main-cell" title={description}>
        <Link to={{ page: 'fleet', filter: { ...noFleetFilter, pool: name } }}>{name}</Link>
        {description !== '' && <span class="soft below">{description}</span>}
      </td>
      <td class="figures">{edges === 1 ? '1 edge' : `${numberWords(edges)} edges`}</td>
      <td class="with-meter">
        <Meter value={used} of={total} label={`Power used in ${name}`} />
        <span>{total === 0 ? 'no power' : `${powerWords(used)} of ${powerWords(total)}`}</span>
      </td>
      <td class="soft">
        {waiting === 0 ? (
          'nothing'
        ) : (
          <Link to={{ page: 'jobs', filter: { ...noJobsFilter, pool: name, state: 'pending' } }}>
            {powerWords(waiting)}
          </Link>
        )}
      </td>
      <td class="soft">{placementWords[pool.policy]}</td>
      <td class="soft">{capWords(pool.edgeCapacityMax)}</td>
    </>
  );
}

const placementWords: Readonly<Record<Pool['policy'], string>> = {
  spread: 'spread evenly',
  pack: 'on few edges',
  fastest: 'on the fastest',
};

function capWords(caps: Pool['edgeCapacityMax']): string {
  const entries = Object.entries(caps);
  if (entries.length === 0) return 'what edges say';
  return entries.map(([name, amount]) => `${name} ${numberWords(amount)}`).join(', ');
}
