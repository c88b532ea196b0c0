import type { Job } from '../../core/contract/resources.ts';
import { Ago } from '../component/ago.tsx';
import { DraftField } from '../component/draft-field.tsx';
import { StateBadge } from '../component/marks.tsx';
import { Meter } from '../component/meter.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { WindowList } from '../component/window-list.tsx';
import { listedServicesMax } from '../limits.ts';
import { useCollection } from '../live/use-live.ts';
import { runWords } from '../model/service-instances.ts';
import { go, Link } from '../route/navigation.tsx';

/** What is kept running, and what runs on every edge: newest first. */
const everyMs = 2_000;
const columns = ['Service', 'State', 'Ready', 'Generation', 'Restarts', 'Runs', 'Created'];

export function ServicesPage({ pool }: { pool: string }) {
  const query = pool === '' ? '' : `&pool=${encodeURIComponent(pool)}`;
  const services = useCollection<Job>(`/v1/jobs?kind=service${query}`, everyMs, listedServicesMax);
  const bound = useCollection<Job>(`/v1/jobs?kind=everywhere${query}`, everyMs, listedServicesMax);
  const items = [...(services.value?.items ?? []), ...(bound.value?.items ?? [])].sort(
    (a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt),
  );
  const isRead = services.value !== null && bound.value !== null;
  return (
    <section class="panel jobs" aria-labelledby="services-title">
      <div class="panel-head">
        <h1 id="services-title">
          {!isRead ? 'Services' : items.length === 1 ? '1 service' : `${items.length} services`}
          {(services.value?.more || bound.value?.more) && <span class="soft"> and more</span>}
        </h1>
        <div class="tools">
          <DraftField
            className="narrow"
            label="Only services of this pool"
            placeholder="pool"
            value={pool}
            onEnter={(value) => go({ page: 'services', pool: value }, 'replace')}
          />
        </div>
      </div>
      <FeedNotice live={bound.problem === null ? services : bound} what="services" />
      {isRead && items.length === 0 && <NoServices pool={pool} />}
      {items.length > 0 && (
        <WindowList
          items={items}
          label="Services"
          columns={columns}
          className="service-table"
          keyOf={(service) => service.id}
          cells={serviceCells}
        />
      )}
    </section>
  );
}

function NoServices({ pool }: { pool: string }) {
  return (
    <Empty title={pool === '' ? 'No services yet.' : 'No service in this pool.'}>
      <p>
        <code>edgewise service create --name web --replicas 3 --image nginx:1</code>
      </p>
    </Empty>
  );
}

function serviceCells({ id, name, spec, createdAt, status: { state, service } }: Job) {
  const { ready = 0, wanted = 0, generation = 1, restarts = 0, rollout } = service ?? {};
  return (
    <>
      <td class="main-cell">
        <Link to={{ page: 'service', id }}>{name ?? id}</Link>
        {name && <code class="soft">{id}</code>}
      </td>
      <td>
        <StateBadge state={state} />
      </td>
      <td class="with-meter">
        <Meter value={ready} of={wanted} label={`${name ?? id}, ready`} tone="done" />
        <span>
          {ready} / {wanted}
        </span>
      </td>
      <td class="soft">
        {generation}
        {rollout !== undefined && rollout !== 'done' && `, ${rollout}`}
      </td>
      <td class="figures">{restarts}</td>
      <td class="soft" title={runWords(spec.run)}>
        {spec.kind === 'everywhere' ? 'everywhere: ' : ''}
        {runWords(spec.run)}
      </td>
      <td class="soft">
        <Ago at={createdAt} />
      </td>
    </>
  );
}
