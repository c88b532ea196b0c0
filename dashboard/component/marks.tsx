import { type Lamp, type LampSource, lampOf } from '../../core/contract/edge-lamp.ts';
import type { JobState } from '../api/resources.ts';
import { lampWords } from '../model/lamp-words.ts';

/** Lamps and state badges: always a shape and a word beside the colour. */
export function LampDot({ lamp }: { lamp: Lamp }) {
  return <span class={`lamp lamp-${lamp}`} aria-hidden="true" />;
}

export function EdgeLamp({ edge }: { edge: LampSource }) {
  return (
    <span class="lamp-words">
      <LampDot lamp={lampOf(edge)} />
      {lampWords(edge)}
    </span>
  );
}

/** The lamp in one word, for rows; the whole sentence is its title. */
export function ShortLamp({ edge }: { edge: LampSource }) {
  const lamp = lampOf(edge);
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
