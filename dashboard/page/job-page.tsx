import type { ComponentChildren } from 'preact';
import type { Execution, Job } from '../../core/contract/resources.ts';
import { Ago, Took } from '../component/ago.tsx';
import { ChunkBar, ChunkLegend } from '../component/job/chunk-bar.tsx';
import { ChunkMap } from '../component/job/chunk-map.tsx';
import { JobActions } from '../component/job/job-actions.tsx';
import { JobAttempts } from '../component/job/job-attempts.tsx';
import { JobChunks } from '../component/job/job-chunks.tsx';
import { JobExecutions } from '../component/job/job-executions.tsx';
import { JobTimeline } from '../component/job/job-timeline.tsx';
import { JobWaiting } from '../component/job/job-waiting.tsx';
import { Labels, StateBadge } from '../component/marks.tsx';
import { FeedNotice } from '../component/notice.tsx';
import { ScrollText } from '../component/scroll-box.tsx';
import { executionsInlineMax } from '../limits.ts';
import { useCollection, useResource, type Watched } from '../live/use-live.ts';
import { jobEndWords } from '../model/reason-words.ts';
import { runWords } from '../model/service-instances.ts';
import { powerWords } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';
import { type JobView, noFleetFilter, noJobsFilter } from '../route/route.ts';

/**
 * One job: how far it is, what failed and why it waits, what happened, where it runs and what it
 * left; to cancel and to retry. As long as a screen or two, however many edges it is on.
 */
const everyMs = 1_000;
const executionsEveryMs = 4_000;

export function JobPage({ id, view }: { id: string; view: JobView }) {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const job = useResource<Job>(path, everyMs);
  // The job carries a hundred of its edges; the list has all.
  const isWide = (job.value?.status.executions.length ?? 0) >= executionsInlineMax;
  const all = useCollection<Execution>(isWide ? `${path}/executions` : null, executionsEveryMs);
  if (job.value === null) {
    return (
      <div class="panel">
        <h1>Job {id}</h1>
        <FeedNotice live={job} what="the job" />
      </div>
    );
  }
  const { status } = job.value;
  const executions = all.value?.items ?? status.executions;
  return (
    <div class="job">
      <JobHead job={job.value} path={path} watched={job} />
      <section class="panel" aria-label="Progress">
        <div class="progress-line">
          <b class="percent">{status.percent} %</b>
          <ChunkBar counts={status.chunks} />
        </div>
        <ChunkLegend counts={status.chunks} />
        <ChunkMap executions={executions} total={status.chunks.total} />
        <JobFacts job={job.value} />
      </section>
      <JobWaiting job={job.value} path={path} />
      <JobAttempts job={job.value} path={path} />
      <JobTimeline path={path} state={status.state} />
      {isWide && <FeedNotice live={all} what="all edges" />}
      <JobExecutions id={id} view={view} executions={executions} />
      <JobChunks job={job.value} path={path} view={view} />
      <section class="panel" aria-labelledby="spec-title">
        <h2 id="spec-title">Spec</h2>
        <ScrollText label="The spec as JSON">{JSON.stringify(job.value.spec, null, 2)}</ScrollText>
      </section>
    </div>
  );
}

function JobHead({ job, path, watched }: { job: Job; path: string; watched: Watched<Job> }) {
  const { state } = job.status;
  return (
    <header class="page-head">
      <div>
        <p class="crumbs">
          <Link to={{ page: 'jobs', filter: noJobsFilter }}>Jobs</Link>
        </p>
        <h1>
          {job.name ?? job.id} <StateBadge state={state} />
        </h1>
        <p class="soft">
          <code>{job.id}</code>, submitted <Ago at={job.createdAt} /> by {job.createdBy}
        </p>
        {job.status.reason && <p class="bad">{jobEndWords(job.status.reason)}</p>}
      </div>
      <JobActions job={job} path={path} watched={watched} />
      <FeedNotice live={watched} what="the job" />
    </header>
  );
}

function JobFacts({ job }: { job: Job }) {
  const { spec, status } = job;
  const run = Object.keys(spec.run)[0];
  const { pool, queue } = spec;
  return (
    <dl class="facts">
      <Fact name="Power">
        {spec.power != null
          ? powerWords(spec.power)
          : `${powerWords(spec.chunkPower ?? 1)} a chunk`}
      </Fact>
      <Fact name="Ran for">
        <Took from={status.startedAt} to={status.endedAt} />
      </Fact>
      <Fact name="Runs as">{run}</Fact>
      {spec.run.pod !== undefined && <Fact name="Containers">{runWords(spec.run)}</Fact>}
      <Fact name="Pool">
        <Link to={{ page: 'fleet', filter: { ...noFleetFilter, pool } }}>{pool}</Link>
      </Fact>
      <Fact name="Queue">
        <Link to={{ page: 'jobs', filter: { ...noJobsFilter, queue } }}>{queue}</Link>
      </Fact>
      <Fact name="Priority">{spec.priority}</Fact>
      <Fact name="Labels">
        <Labels labels={spec.labels} />
      </Fact>
      {spec.onEnd !== undefined && (
        <Fact name="Notified of its end">
          <code>{spec.onEnd.url}</code>
        </Fact>
      )}
      <Fact name="Costs about">{status.receipt.usd.toFixed(6)} USD</Fact>
    </dl>
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
