import {
  type ShortStatus,
  type StatusSource,
  shortStatusOf,
} from '../../core/contract/short-status.ts';
import type { JobState } from '../api/resources.ts';
import { lampWords } from '../model/lamp-words.ts';

/** Lamps and state badges: always a shape and a word beside the colour. */
export function LampDot({ lamp }: { lamp: ShortStatus }) {
  return <span class={`lamp lamp-${lamp}`} aria-hidden="true" />;
}

export function EdgeLamp({ edge }: { edge: StatusSource }) {
  return (
    <span class="lamp-words">
      <LampDot lamp={shortStatusOf(edge)} />
      {lampWords(edge)}
    </span>
  );
}

/** The lamp in one word, for rows; the whole sentence is its title. */
export function ShortLamp({ edge }: { edge: StatusSource }) {
  const lamp = shortStatusOf(edge);
  return (
    <span class="lamp-words" title={lampWords(edge)}>
      <LampDot lamp={lamp} />
      {lamp}
    </span>
  );
}

export function StateBadge({ state }: { state: JobState | string }) {
  return <span class={`badge state-${state}`}>{state}</span>;
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
