import type { ScheduleRun } from '../../core/contract/resources.ts';
import {
  type ShortStatus,
  type StatusSource,
  shortStatusOf,
} from '../../core/contract/short-status.ts';
import type { JobState } from '../../core/model/job.ts';
import { outcomeState, outcomeWords } from '../model/management/schedule-words.ts';
import { statusWords } from '../model/status-words.ts';

/** Status and state badges: always a shape and a word beside the colour. */
export function StatusDot({ status }: { status: ShortStatus }) {
  return <span class={`status-dot status-${status}`} aria-hidden="true" />;
}

export function EdgeStatus({ edge }: { edge: StatusSource }) {
  return (
    <span class="status-words">
      <StatusDot status={shortStatusOf(edge)} />
      {statusWords(edge)}
    </span>
  );
}

/** The status in one word, for rows; the whole sentence is its title. */
export function StatusWord({ edge }: { edge: StatusSource }) {
  const status = shortStatusOf(edge);
  return (
    <span class="status-words" title={statusWords(edge)}>
      <StatusDot status={status} />
      {status}
    </span>
  );
}

export function StateBadge({ state }: { state: JobState | string }) {
  return <span class={`badge state-${state}`}>{state}</span>;
}

/** What became of one time of a schedule. */
export function OutcomeBadge({ run }: { run: ScheduleRun }) {
  return <span class={`badge state-${outcomeState(run)}`}>{outcomeWords(run)}</span>;
}

export function Labels({ labels }: { labels: Readonly<Record<string, string>> | undefined }) {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return <span class="soft">none</span>;
  return (
    <ul class="chips">
      {entries.map(([key, value]) => (
        <li key={key} class="chip">
          <span class="soft">{key}</span> {value}
        </li>
      ))}
    </ul>
  );
}
