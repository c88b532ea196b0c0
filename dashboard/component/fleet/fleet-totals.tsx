import type { Stats } from '../../../core/contract/resources.ts';
import { type ShortStatus, shortStatuses } from '../../../core/contract/short-status.ts';
import { numberWords, percentWords, powerWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { type FleetFilter, noFleetFilter, noJobsFilter } from '../../route/route.ts';
import { StatusDot } from '../marks.tsx';
import { Meter } from '../meter.tsx';

/** The strip on top of the fleet: counts that filter, power, queue and pace. */
type StatusCountsOf = Readonly<Record<ShortStatus, number>>;

export type FleetTotalsProps = {
  readonly stats: Stats | null;
  readonly statuses: StatusCountsOf;
  readonly filter: FleetFilter;
};

export function FleetTotals({ stats, statuses: counts, filter }: FleetTotalsProps) {
  return (
    <div class="totals">
      <StatusCounts counts={counts} filter={filter} />
      <Power stats={stats} />
      <Queue stats={stats} />
      <Rate stats={stats} />
    </div>
  );
}

function StatusCounts(props: Pick<FleetTotalsProps, 'filter'> & { counts: StatusCountsOf }) {
  const { counts, filter } = props;
  return (
    <div class="status-total">
      <ul class="statuses" aria-label="Edges by status">
        {shortStatuses.map((status) => {
          const on = filter.status === status;
          const next = { ...noFleetFilter, view: filter.view, status: on ? '' : status };
          return (
            <li key={status}>
              <Link
                class="status-count"
                to={{ page: 'fleet', filter: next }}
                aria-current={on ? 'true' : undefined}
              >
                <span>
                  <StatusDot status={status} /> {status}
                </span>
                <b>{numberWords(counts[status])}</b>
              </Link>
            </li>
          );
        })}
      </ul>
      <div class="status-bar" aria-hidden="true">
        {shortStatuses.map((status) => (
          <span key={status} class={`status-part-${status}`} style={{ flexGrow: counts[status] }} />
        ))}
      </div>
    </div>
  );
}

function Power({ stats }: { stats: Stats | null }) {
  const total = stats?.power.total ?? 0;
  const used = total - (stats?.power.free ?? 0);
  return (
    <div class="total">
      <h2>Power used</h2>
      <p>
        <b>{percentWords(used, total)}</b>
      </p>
      <Meter value={used} of={total} label="Power used" />
      <p class="soft">
        {powerWords(used)} used, {powerWords(total - used)} free
      </p>
    </div>
  );
}

function Queue({ stats }: { stats: Stats | null }) {
  const chunks = stats?.chunks.pending ?? 0;
  const running = stats?.jobs.running ?? 0;
  return (
    <div class="total">
      <h2>Queue</h2>
      <p>
        <b>{numberWords(chunks)}</b> chunks wait
      </p>
      <p class="soft">
        <Link to={{ page: 'jobs', filter: { ...noJobsFilter, state: 'running' } }}>
          {numberWords(running)} jobs run
        </Link>
        ,{' '}
        <Link to={{ page: 'jobs', filter: { ...noJobsFilter, state: 'pending' } }}>
          {numberWords(stats?.jobs.pending ?? 0)} wait
        </Link>
      </p>
    </div>
  );
}

function Rate({ stats }: { stats: Stats | null }) {
  return (
    <div class="total">
      <h2>Pace</h2>
      <p>
        <b>{numberWords(stats?.rates.chunksPer10Seconds ?? 0)}</b> chunks in 10 s
      </p>
      <p class="soft">
        {numberWords(stats?.rates.jobsPerMinute ?? 0)} jobs a minute,{' '}
        {numberWords(stats?.jobs.done ?? 0)} done in all
      </p>
    </div>
  );
}
