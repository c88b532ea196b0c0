import type { SubmissionAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { Ago } from '../component/ago.tsx';
import { DraftField } from '../component/draft-field.tsx';
import { StateBadge } from '../component/marks.tsx';
import { Meter } from '../component/meter.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { ScrollBox } from '../component/scroll-box.tsx';
import { listedJobspecsMax } from '../limits.ts';
import { useCollection } from '../live/use-live.ts';
import { go, Link } from '../route/navigation.tsx';

/** The submitted jobspecs of a pool, newest first. */
type Listed = Omit<SubmissionAnswer, 'text' | 'jobspec' | 'selection'>;

const everyMs = 5_000;
const columns = ['Jobspec', 'State', 'Progress', 'Tasks done', 'Cluster', 'Submitted'];

export function JobspecsPage({ pool }: { pool: string }) {
  const query = pool === '' ? '' : `?pool=${encodeURIComponent(pool)}`;
  const jobspecs = useCollection<Listed>(`/v1/jobspecs${query}`, everyMs, listedJobspecsMax);
  const items = jobspecs.value?.items ?? [];
  return (
    <section class="panel jobs" aria-labelledby="jobspecs-title">
      <div class="panel-head">
        <h1 id="jobspecs-title">
          Jobspecs
          {jobspecs.value?.more && <span class="soft"> and more</span>}
        </h1>
        <div class="tools">
          <DraftField
            label="Only jobspecs of this pool"
            placeholder="pool (default)"
            value={pool}
            onEnter={(value) => go({ page: 'jobspecs', pool: value }, 'replace')}
          />
        </div>
      </div>
      <FeedNotice live={jobspecs} what="jobspecs" />
      {jobspecs.value?.more === false && items.length === 0 && (
        <Empty title="No jobspec was submitted to this pool.">
          <p>
            <code>edgewise jobspec submit jobspec.yaml</code>
          </p>
        </Empty>
      )}
      {items.length > 0 && (
        <ScrollBox label="List of jobspecs">
          <table>
            <thead>
              <tr>
                {columns.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <Row key={item.id} item={item} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

function Row({ item: { id, name, status, cluster, createdAt } }: { item: Listed }) {
  const { percent, tasks } = status;
  return (
    <tr>
      <td>
        <Link to={{ page: 'jobspec', id }}>{name ?? id}</Link>
      </td>
      <td>
        <StateBadge state={status.state} />
      </td>
      <td class="with-meter">
        <Meter value={percent} of={100} label="Progress" tone="done" />
        <span>{percent} %</span>
      </td>
      <td class="figures">
        {tasks.done} of {tasks.total}
      </td>
      <td>{cluster ?? <span class="soft">not chosen</span>}</td>
      <td class="soft">
        <Ago at={createdAt} />
      </td>
    </tr>
  );
}
