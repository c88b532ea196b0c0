import { useMemo } from 'preact/hooks';
import type { Job } from '../../core/contract/resources.ts';
import { jobStates } from '../../core/model/job.ts';
import { Ago, Took } from '../component/ago.tsx';
import { PickBox, PickButton, type Picking, usePicking } from '../component/bulk/use-picking.tsx';
import { DraftField } from '../component/draft-field.tsx';
import { ChunkBar } from '../component/job/chunk-bar.tsx';
import { JobBulk } from '../component/job/job-bulk.tsx';
import { StateBadge } from '../component/marks.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { WindowList } from '../component/window-list.tsx';
import { listedJobsMax } from '../limits.ts';
import { useCollection } from '../live/use-live.ts';
import { go, Link } from '../route/navigation.tsx';
import { type JobsFilter, jobsPath, noJobsFilter } from '../route/route.ts';

/**
 * The jobs, newest first. Every filter is in the address; the server filters all but the free text.
 */
const everyMs = 2_000;
const columns = ['Job', 'State', 'Progress', 'Chunks', 'Submitted', 'Ran', 'Queue'];

export function JobsPage({ filter }: { filter: JobsFilter }) {
  const jobs = useCollection<Job>(jobsPath(filter), everyMs, listedJobsMax);
  const all = jobs.value?.items;
  const shown = useMemo(() => find(all ?? [], filter.q), [all, filter.q]);
  const picking = usePicking(shown, ({ id }) => id);
  const filtered = Object.values(filter).some((value) => value !== '');
  return (
    <section class="panel jobs" aria-labelledby="jobs-title">
      <div class="panel-head">
        <h1 id="jobs-title">
          {jobs.value === null ? 'Jobs' : shown.length === 1 ? '1 job' : `${shown.length} jobs`}
          {jobs.value?.more && <span class="soft"> and more</span>}
        </h1>
        <JobsTools filter={filter} picking={picking} />
      </div>
      <StateFilter filter={filter} />
      {picking.isOn && <JobBulk picking={picking} onDone={jobs.refresh} />}
      <FeedNotice live={jobs} what="jobs" />
      {jobs.value !== null && shown.length === 0 && <NoJobs filtered={filtered} />}
      {shown.length > 0 && (
        <WindowList
          items={shown}
          label="Jobs"
          columns={columns}
          className="job-table"
          keyOf={(job) => job.id}
          cells={(job) => jobCells(job, picking)}
        />
      )}
    </section>
  );
}

function find(jobs: readonly Job[], text: string): readonly Job[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return jobs;
  return jobs.filter((job) => {
    const name = job.name ?? '';
    return job.id.includes(wanted) || name.toLowerCase().includes(wanted);
  });
}

function set(filter: JobsFilter, change: Partial<JobsFilter>): void {
  go({ page: 'jobs', filter: { ...filter, ...change } }, 'replace');
}

function JobsTools({ filter, picking }: { filter: JobsFilter; picking: Picking<Job> }) {
  const fields = [
    ['pool', 'pool'],
    ['queue', 'queue'],
    ['label', 'label, k=v'],
    ['edge', 'edge'],
  ] as const;
  return (
    <div class="tools">
      <input
        type="search"
        aria-label="Find jobs by name or id"
        placeholder="name or id"
        value={filter.q}
        onInput={(event) => set(filter, { q: event.currentTarget.value })}
      />
      {fields.map(([key, words]) => (
        <DraftField
          key={key}
          className="narrow"
          label={`Only jobs of this ${key}`}
          placeholder={words}
          value={filter[key]}
          onEnter={(value) => set(filter, { [key]: value })}
        />
      ))}
      <PickButton picking={picking} />
    </div>
  );
}

function StateFilter({ filter }: { filter: JobsFilter }) {
  return (
    <nav class="states" aria-label="Jobs by state">
      {['', ...jobStates].map((state) => (
        <Link
          key={state}
          to={{ page: 'jobs', filter: { ...filter, state } }}
          aria-current={filter.state === state ? 'true' : undefined}
        >
          {state === '' ? 'all' : state}
        </Link>
      ))}
    </nav>
  );
}

function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty title="No job matches.">
        <button type="button" onClick={() => go({ page: 'jobs', filter: noJobsFilter })}>
          Show all jobs
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="No jobs yet.">
      <p>
        <Link to={{ page: 'submit', like: '' }}>Submit the first</Link>, or{' '}
        <code>edgewise submit --power 400</code>
      </p>
    </Empty>
  );
}

function jobCells(job: Job, picking: Picking<Job>) {
  const { status, spec } = job;
  const { name } = job;
  return (
    <>
      <td class="main-cell">
        {picking.isOn && (
          <PickBox
            label={`Select ${name ?? job.id}`}
            isChosen={picking.has(job)}
            onToggle={() => picking.toggle(job)}
          />
        )}
        <Link to={{ page: spec.kind === 'batch' ? 'job' : 'service', id: job.id }}>
          {name ?? job.id}
        </Link>
        {name && <code class="soft">{job.id}</code>}
      </td>
      <td>
        <StateBadge state={status.state} />
      </td>
      <td class="with-meter">
        <ChunkBar counts={status.chunks} small />
        <span>{status.percent} %</span>
      </td>
      <td class="figures">
        {status.chunks.done} / {status.chunks.total}
      </td>
      <td class="soft">
        <Ago at={job.createdAt} />
      </td>
      <td class="soft">
        <Took from={status.startedAt} to={status.endedAt} />
      </td>
      <td class="soft">{spec.queue}</td>
    </>
  );
}
