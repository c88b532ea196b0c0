import type { ChunkCounts } from '../../../core/model/job.ts';
import { numberWords } from '../../model/words.ts';

/** The states of a job's chunks, in the order of their life, as one stacked bar. */
export const chunkStates = [
  'done',
  'dead',
  'cancelled',
  'running',
  'scheduled',
  'pending',
  'waiting',
] as const;

export function ChunkBar({ counts, small }: { counts: ChunkCounts; small?: boolean }) {
  const present = chunkStates.filter((state) => counts[state] > 0);
  const words = present.map((state) => `${numberWords(counts[state])} ${state}`).join(', ');
  return (
    <div
      class={small ? 'chunk-bar small' : 'chunk-bar'}
      role="img"
      aria-label={words || 'no chunks'}
    >
      {present.map((state) => (
        <div key={state} class={`part chunk-${state}`} style={{ flexGrow: counts[state] }} />
      ))}
    </div>
  );
}

export function ChunkLegend({ counts }: { counts: ChunkCounts }) {
  return (
    <ul class="legend">
      {chunkStates.map((state) => (
        <li key={state} class={counts[state] === 0 ? 'none' : ''}>
          <span class={`swatch chunk-${state}`} aria-hidden="true" />
          <b>{numberWords(counts[state])}</b> {state}
        </li>
      ))}
    </ul>
  );
}
