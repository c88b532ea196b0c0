import type { Edge, EdgeJob } from '../../core/contract/resources.ts';
import { shortStatusOf } from '../../core/contract/short-status.ts';
import { Ago, Took } from '../component/ago.tsx';
import { ClusterPanel } from '../component/edge/cluster-panel.tsx';
import { EdgeActions } from '../component/edge/edge-actions.tsx';
import { EdgeFacts } from '../component/edge/edge-facts.tsx';
import { OffersPanel } from '../component/edge/offers-panel.tsx';
import { EdgeStatus, Labels, StateBadge } from '../component/marks.tsx';
import { Meter } from '../component/meter.tsx';
import { FeedNotice } from '../component/notice.tsx';
import { ScrollBox } from '../component/scroll-box.tsx';
import { edgeHistoryMax } from '../limits.ts';
import { useCollection, useResource } from '../live/use-live.ts';
import { numberWords, powerWords } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';
import { noFleetFilter } from '../route/route.ts';

/** One edge: what it is, what it does, what it did; to cordon and to drain. */
const everyMs = 2_000;
const historyEveryMs = 5_000;

export function EdgePage({ name }: { name: string }) {
  const path = `/v1/edges/${encodeURIComponent(name)}`;
  const edge = useResource<Edge>(path, everyMs);
  if (edge.value === null) {
    return (
      <div class="panel">
        <h1>{name}</h1>
        <FeedNotice live={edge} what="the edge" />
      </div>
    );
  }
  const { value } = edge;
  return (
    <div class="edge">
      <header class="page-head">
        <div>
          <p class="crumbs">
            <Link to={{ page: 'fleet', filter: noFleetFilter }}>Fleet</Link>
            <span aria-hidden="true"> / </span>
            <Link to={{ page: 'fleet', filter: { ...noFleetFilter, pool: value.pool } }}>
              {value.pool}
            </Link>
          </p>
          <h1>{value.name}</h1>
          <p class={`state-line status-text-${shortStatusOf(value)}`}>
            <EdgeStatus edge={value} />
            <span class="soft">
              seen <Ago at={value.lastSeenAt} />
            </span>
          </p>
          {value.reason && <p class="quote">“{value.reason}”</p>}
        </div>
        <EdgeActions edge={value} path={path} refresh={edge.refresh} />
        <FeedNotice live={edge} what="the edge" />
      </header>
      <div class="two">
        <Capacity edge={value} />
        <EdgeFacts facts={value.facts} />
      </div>
      <ClusterPanel edge={value} path={path} />
      {value.mode === 'pull' && <OffersPanel path={path} />}
      <Leases edge={value} />
      <History path={path} />
    </div>
  );
}

function Capacity({ edge }: { edge: Edge }) {
  return (
    <section class="panel" aria-labelledby="capacity-title">
      <h2 id="capacity-title">Capacity</h2>
      <ul class="bars">
        {Object.entries(edge.capacity).map(([resource, total]) => {
          const used = Math.max(0, total - (edge.free[resource] ?? total));
          const words = resource === 'power' ? powerWords : numberWords;
          return (
            <li key={resource}>
              <span>{resource}</span>
              <span class="figures">
                {words(used)} of {words(total)}
              </span>
              <Meter value={used} of={total} label={`${resource} used`} />
            </li>
          );
        })}
      </ul>
      <dl class="facts">
        <div>
          <dt>Labels</dt>
          <dd>
            <Labels labels={edge.labels} />
          </dd>
        </div>
        <div>
          <dt>Connected</dt>
          <dd>
            <Ago at={edge.connectedAt} />
          </dd>
        </div>
        <div>
          <dt>Chunks done</dt>
          <dd>{numberWords(edge.totals.chunksDone)}</dd>
        </div>
        <div>
          <dt>Power served</dt>
          <dd>{powerWords(edge.totals.powerServed)}</dd>
        </div>
      </dl>
    </section>
  );
}

function Leases({ edge }: { edge: Edge }) {
  const { leases } = edge;
  return (
    <section class="panel" aria-labelledby="leases-title">
      <h2 id="leases-title">
        Leases <span class="soft">{leases.length}</span>
      </h2>
      {leases.length === 0 && <p class="soft">It holds no work now.</p>}
      {leases.length > 0 && (
        <ScrollBox label="Leases">
          <table>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">Chunks</th>
                <th scope="col">At once</th>
                <th scope="col">Done</th>
              </tr>
            </thead>
            <tbody>
              {leases.map((lease) => (
                <tr key={lease.job}>
                  <td>
                    <Link to={{ page: 'job', id: lease.job }}>{lease.job}</Link>
                  </td>
                  <td>
                    <code class="cut">{lease.chunks}</code>
                  </td>
                  <td>{lease.slots}</td>
                  <td class="with-meter">
                    <Meter value={lease.percent} of={100} label="Done" tone="done" />
                    <span>{lease.percent} %</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

function History({ path }: { path: string }) {
  const jobs = useCollection<EdgeJob>(`${path}/jobs`, historyEveryMs, edgeHistoryMax);
  return (
    <section class="panel" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <FeedNotice live={jobs} what="the history" />
      {jobs.value?.items.length === 0 && <p class="soft">It has not worked yet.</p>}
      {jobs.value !== null && jobs.value.items.length > 0 && (
        <ScrollBox label="History of work">
          <table>
            <thead>
              <tr>
                <th scope="col">Job</th>
                <th scope="col">State</th>
                <th scope="col">Done here</th>
                <th scope="col">Power</th>
                <th scope="col">Started</th>
                <th scope="col">For</th>
              </tr>
            </thead>
            <tbody>
              {jobs.value.items.map((job) => (
                <HistoryRow key={job.job} job={job} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

function HistoryRow({ job }: { job: EdgeJob }) {
  const { percent, power, startedAt, endedAt } = job.execution;
  return (
    <tr>
      <td>
        <Link to={{ page: 'job', id: job.job }}>{job.name ?? job.job}</Link>
      </td>
      <td>{job.state !== null && <StateBadge state={job.state} />}</td>
      <td class="with-meter">
        <Meter value={percent} of={100} label="Done here" tone="done" />
        <span>{percent} %</span>
      </td>
      <td>{powerWords(power)}</td>
      <td class="soft">
        <Ago at={startedAt} />
      </td>
      <td class="soft">
        <Took from={startedAt} to={endedAt} />
      </td>
    </tr>
  );
}
