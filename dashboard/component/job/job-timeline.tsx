import type { JobEvent, JobState } from '../../api/resources.ts';
import { useCollection } from '../../live/use-live.ts';
import { Ago } from '../ago.tsx';
import { FeedNotice } from '../notice.tsx';

/** What happened to the job, newest first: one looks at what is going on. */
const everyMs = 3_000;
const eventsMax = 1_000;
const shownMax = 100;

export function JobTimeline({ path, state }: { path: string; state: JobState }) {
  const over = state === 'done' || state === 'cancelled' || state === 'failed';
  const events = useCollection<JobEvent>(`${path}/events`, over ? 4 * everyMs : everyMs, eventsMax);
  const items = (events.value?.items ?? []).slice(-shownMax).reverse();
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
    </section>
  );
}
