import type { SubmissionAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { Ago } from '../component/ago.tsx';
import { TaskGraphView } from '../component/jobspec/task-graph.tsx';
import { StateBadge } from '../component/marks.tsx';
import { Meter } from '../component/meter.tsx';
import { FeedNotice } from '../component/notice.tsx';
import { ScrollBox } from '../component/scroll-box.tsx';
import { useResource } from '../live/use-live.ts';
import { jobEndWords } from '../model/reason-words.ts';
import type { TaskGraph } from '../model/task-graph.ts';
import { Link } from '../route/navigation.tsx';

/** One jobspec: where it went and why, its tasks and groups, and who waits for whom. */
const everyMs = 3_000;

export function JobspecPage({ id }: { id: string }) {
  const path = `/v1/jobspecs/${encodeURIComponent(id)}`;
  const jobspec = useResource<SubmissionAnswer>(path, everyMs);
  if (jobspec.value === null) {
    return (
      <div class="panel">
        <h1>{id}</h1>
        <FeedNotice live={jobspec} what="the jobspec" />
      </div>
    );
  }
  const { value } = jobspec;
  return (
    <div class="edge">
      <header class="page-head">
        <div>
          <p class="crumbs">
            <Link to={{ page: 'jobspecs', pool: value.pool }}>Jobspecs</Link>
            <span aria-hidden="true"> / </span>
            {value.pool}
          </p>
          <h1>{value.name ?? value.id}</h1>
          <p class="state-line">
            <StateBadge state={value.status.state} />
            <span class="soft">
              submitted <Ago at={value.createdAt} />
            </span>
          </p>
          {value.status.reason !== null && <p class="quote">{jobEndWords(value.status.reason)}</p>}
        </div>
        <FeedNotice live={jobspec} what="the jobspec" />
      </header>
      <Place value={value} />
      <Graph path={path} />
      <Tasks value={value} />
      {value.groups.length > 0 && <Groups value={value} />}
      <section class="panel" aria-labelledby="text-title">
        <h2 id="text-title">As it was sent</h2>
        <ScrollBox label="The jobspec as it was sent">
          <pre>{value.text}</pre>
        </ScrollBox>
      </section>
    </div>
  );
}

type Part = { value: SubmissionAnswer };

function Place({ value: { cluster, selection, status } }: Part) {
  return (
    <section class="panel" aria-labelledby="place-title">
      <h2 id="place-title">Where it went</h2>
      <dl class="facts">
        <div>
          <dt>Cluster</dt>
          <dd>{cluster ?? 'not chosen: none has what it asks for'}</dd>
        </div>
        {selection !== null && (
          <div>
            <dt>Chosen by</dt>
            <dd>
              {selection.algorithm}
              {selection.priority !== null && `, priority ${selection.priority}`}, of{' '}
              {selection.candidates} that match
            </dd>
          </div>
        )}
        <div>
          <dt>Progress</dt>
          <dd class="with-meter">
            <Meter value={status.percent} of={100} label="Progress" tone="done" />
            <span>{status.percent} %</span>
          </dd>
        </div>
      </dl>
      {selection !== null && selection.excluded.length > 0 && (
        <ul class="bars">
          {selection.excluded.map(({ cluster: name, priority, step, reason }) => (
            <li key={`${name} ${priority} ${step}`}>
              <span>{name}</span>
              <span class="soft">
                left out at priority {priority}, step {step + 1}: {reason}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Graph({ path }: { path: string }) {
  const graph = useResource<TaskGraph>(`${path}/graph`, everyMs);
  return (
    <section class="panel" aria-labelledby="graph-title">
      <h2 id="graph-title">Who waits for whom</h2>
      <FeedNotice live={graph} what="the graph" />
      {graph.value !== null && <TaskGraphView graph={graph.value} />}
    </section>
  );
}

function Tasks({ value: { jobs } }: Part) {
  return (
    <section class="panel" aria-labelledby="tasks-title">
      <h2 id="tasks-title">
        Tasks <span class="soft">{jobs.length}</span>
      </h2>
      <ScrollBox label="List of tasks">
        <table>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">State</th>
              <th scope="col">After</th>
              <th scope="col">Job</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map(({ task, group, job, state, dependsOn }) => (
              <tr key={`${group} ${task}`}>
                <td>{group === null ? task : `${group}/${task}`}</td>
                <td>
                  <StateBadge state={state} />
                </td>
                <td>{dependsOn.join(', ') || <span class="soft">nothing</span>}</td>
                <td>
                  <Link to={{ page: 'job', id: job }}>{job}</Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function Groups({ value: { groups } }: Part) {
  return (
    <section class="panel" aria-labelledby="groups-title">
      <h2 id="groups-title">
        Groups <span class="soft">{groups.length}</span>
      </h2>
      <ScrollBox label="List of groups">
        <table>
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col">State</th>
              <th scope="col">Holds</th>
              <th scope="col">On</th>
              <th scope="col">Held</th>
              <th scope="col">Released</th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ group, state, resources, edge, heldAt, releasedAt }) => (
              <tr key={group}>
                <td>{group}</td>
                <td>
                  <StateBadge state={state} />
                </td>
                <td>{amounts(resources)}</td>
                <td>{edge ?? <span class="soft">nowhere yet</span>}</td>
                <td class="soft">
                  <Ago at={heldAt} />
                </td>
                <td class="soft">
                  <Ago at={releasedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function amounts(resources: Readonly<Record<string, number>>): string {
  return Object.entries(resources)
    .map(([name, amount]) => `${amount} ${name}`)
    .join(', ');
}
