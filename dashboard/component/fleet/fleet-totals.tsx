import { type ShortStatus, shortStatuses } from '../../../core/contract/short-status.ts';
import type { Stats } from '../../api/resources.ts';
import { numberWords, percentWords, powerWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { type FleetFilter, noFleetFilter, noJobsFilter } from '../../route/route.ts';
import { LampDot } from '../marks.tsx';
import { Meter } from '../meter.tsx';

/** The strip on top of the fleet: lamps that filter, power, queue and pace. */
type LampCountsOf = Readonly<Record<ShortStatus, number>>;

export type FleetTotalsProps = {
  readonly stats: Stats | null;
  readonly lamps: LampCountsOf;
  readonly filter: FleetFilter;
};

export function FleetTotals({ stats, lamps: counts, filter }: FleetTotalsProps) {
  return (
    <div class="totals">
      <LampCounts counts={counts} filter={filter} />
      <Power stats={stats} />
      <Queue stats={stats} />
      <Rate stats={stats} />
    </div>
  );
}

function LampCounts(props: Pick<FleetTotalsProps, 'filter'> & { counts: LampCountsOf }) {
  const { counts, filter } = props;
  return (
    <div class="lamps-total">
      <ul class="lamps" aria-label="Edges by status">
        {shortStatuses.map((lamp) => {
          const on = filter.lamp === lamp;
          const next = { ...noFleetFilter, view: filter.view, lamp: on ? '' : lamp };
          return (
            <li key={lamp}>
              <Link
                class="lamp-count"
                to={{ page: 'fleet', filter: next }}
                aria-current={on ? 'true' : undefined}
              >
                <span>
                  <LampDot lamp={lamp} /> {lamp}
                </span>
                <b>{numberWords(counts[lamp])}</b>
              </Link>
            </li>
          );
        })}
      </ul>
      <div class="lamp-bar" aria-hidden="true">
        {shortStatuses.map((lamp) => (
          <span key={lamp} class={`lamp-part-${lamp}`} style={{ flexGrow: counts[lamp] }} />
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
