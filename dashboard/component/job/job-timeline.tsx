import { useState } from 'preact/hooks';
import type { JobEvent } from '../../../core/contract/resources.ts';
import type { JobState } from '../../../core/model/job.ts';
import { timelineEventsMax, timelineFirstShown, timelineShownMax } from '../../limits.ts';
import { useCollection } from '../../live/use-live.ts';
import { Ago } from '../ago.tsx';
import { FeedNotice } from '../notice.tsx';

/** What happened to the job, newest first: one looks at what is going on. */
const everyMs = 3_000;

export function JobTimeline({ path, state }: { path: string; state: JobState }) {
  const over = state === 'done' || state === 'cancelled' || state === 'failed';
  const events = useCollection<JobEvent>(
    `${path}/events`,
    over ? 4 * everyMs : everyMs,
    timelineEventsMax,
  );
  const [isLong, setLong] = useState(false);
  const all = (events.value?.items ?? []).slice(-timelineShownMax).reverse();
  const items = isLong ? all : all.slice(0, timelineFirstShown);
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline</h2>
      <FeedNotice live={events} what="the timeline" />
      {events.value !== null && items.length === 0 && <p class="soft">Nothing recorded yet.</p>}
      <ol class="timeline">
        {items.map((event) => (
          <li key={`${event.at}${event.kind}${event.detail}`}>
            <span class="soft">
              <Ago at={event.at} />
            </span>
            <span>
              <b>{event.kind}</b>
              <span class="soft">
                {event.detail !== '' && ` ${event.detail}`}
                {event.by !== '' && `, by ${event.by}`}
              </span>
            </span>
          </li>
        ))}
      </ol>
      {all.length > timelineFirstShown && (
        <button type="button" class="quiet" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? 'Show less' : `Show all ${all.length}`}
        </button>
      )}
    </section>
  );
}
