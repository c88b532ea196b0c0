import type { ComponentChildren } from 'preact';
import type { Chunk, Job } from '../../core/contract/resources.ts';
import type { GenerationAnswer } from '../../core/contract/services/generation-body.ts';
import { Ago } from '../component/ago.tsx';
import { JobTimeline } from '../component/job/job-timeline.tsx';
import { JobWaiting } from '../component/job/job-waiting.tsx';
import { Labels, StateBadge } from '../component/marks.tsx';
import { Meter } from '../component/meter.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { ScrollText } from '../component/scroll-box.tsx';
import { GenerationTable } from '../component/service/generation-table.tsx';
import { InstanceTable } from '../component/service/instance-table.tsx';
import { LastExits } from '../component/service/last-exits.tsx';
import { ServiceActions } from '../component/service/service-actions.tsx';
import { instancesShownMax } from '../limits.ts';
import { useCollection, useResource, type Watched } from '../live/use-live.ts';
import { jobEndWords } from '../model/reason-words.ts';
import { rolloutWords } from '../model/service-instances.ts';
import { Link } from '../route/navigation.tsx';
import { noFleetFilter } from '../route/route.ts';

/** One service: what is wanted and ready, its generations, its instances and how they ended. */
const everyMs = 1_000;
const generationsEveryMs = 5_000;

export function ServicePage({ id }: { id: string }) {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const service = useResource<Job>(path, everyMs);
  const isService = service.value !== null && service.value.spec.kind !== 'batch';
  const below = isService ? path : null;
  const chunks = useCollection<Chunk>(below && `${below}/chunks`, everyMs, instancesShownMax);
  const kept = useResource<{ items: readonly GenerationAnswer[] }>(
    below && `${below}/generations`,
    generationsEveryMs,
  );
  if (service.value === null) {
    return (
      <div class="panel">
        <h1>Service {id}</h1>
        <FeedNotice live={service} what="the service" />
      </div>
    );
  }
  if (!isService) {
    return (
      <Empty title="This job is no service: it runs to its end.">
        <Link to={{ page: 'job', id }}>To the job</Link>
      </Empty>
    );
  }
  const instances = chunks.value?.items ?? [];
  return (
    <div class="job">
      <ServiceHead service={service.value} path={path} watched={service} />
      <ServiceReadiness service={service.value} />
      <GenerationTable
        service={service.value}
        instances={instances}
        kept={kept.value?.items ?? []}
      />
      <JobWaiting job={service.value} path={path} />
      <InstanceTable chunks={chunks} service={service.value} />
      <LastExits instances={instances} path={path} />
      <div class="two">
        <JobTimeline path={path} state={service.value.status.state} />
        <section class="panel" aria-labelledby="spec-title">
          <h2 id="spec-title">Spec</h2>
          <ScrollText label="The spec as JSON">
            {JSON.stringify(service.value.spec, null, 2)}
          </ScrollText>
        </section>
      </div>
    </div>
  );
}

type HeadProps = {
  readonly service: Job;
  readonly path: string;
  readonly watched: Watched<Job>;
};

function ServiceHead({ service, path, watched }: HeadProps) {
  const { id, name, status, createdAt, createdBy } = service;
  return (
    <header class="page-head">
      <div>
        <p class="crumbs">
          <Link to={{ page: 'services', pool: '' }}>Services</Link>
        </p>
        <h1>
          {name ?? id} <StateBadge state={status.state} />
        </h1>
        <p class="soft">
          <code>{id}</code>, created <Ago at={createdAt} /> by {createdBy}
        </p>
        {status.reason && <p class="bad">{jobEndWords(status.reason)}</p>}
      </div>
      <ServiceActions service={service} path={path} changed={watched.refresh} />
      <FeedNotice live={watched} what="the service" />
    </header>
  );
}

function ServiceReadiness({ service: job }: { service: Job }) {
  const { spec, status } = job;
  const { ready = 0, wanted = 0, unavailable = 0, restarts = 0 } = status.service ?? {};
  return (
    <section class="panel" aria-label="Readiness">
      <div class="progress-line">
        <b class="percent">
          {ready} / {wanted}
        </b>
        <Meter value={ready} of={wanted} label="Instances that are ready" tone="done" />
      </div>
      <p role="status">{rolloutWords(job)}</p>
      <dl class="facts">
        <Fact name="Wanted">{wanted}</Fact>
        <Fact name="Ready">{ready}</Fact>
        <Fact name="Not ready">{unavailable}</Fact>
        <Fact name="Restarts">{restarts}</Fact>
        <Fact name="Restarts it">{spec.restart?.policy}</Fact>
        <Fact name="Where">
          {spec.kind === 'everywhere' ? 'on every edge that matches' : 'where there is room'}
        </Fact>
        <Fact name="Pool">
          <Link to={{ page: 'fleet', filter: { ...noFleetFilter, pool: spec.pool } }}>
            {spec.pool}
          </Link>
        </Fact>
        <Fact name="Labels">
          <Labels labels={spec.labels} />
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
