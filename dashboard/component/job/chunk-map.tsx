import { useMemo } from 'preact/hooks';
import type { Execution } from '../../../core/contract/resources.ts';
import { drawnChunksMin } from '../../limits.ts';
import { chunkIntervals } from '../../model/chunk-intervals.ts';

/**
 * The job from its first chunk to its last, coloured by what happened to each. The legend stands
 * with the bar.
 */
export function ChunkMap(props: { executions: readonly Execution[]; total: number }) {
  const { executions, total } = props;
  const drawn = useMemo(() => chunkIntervals(executions), [executions]);
  if (total < drawnChunksMin) return null;
  return (
    <figure class="chunk-map">
      <svg
        viewBox={`0 0 ${total} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Map of chunks 0 to ${total - 1} by state`}
      >
        {drawn.map((interval) => (
          <rect
            key={`${interval.state}${interval.start}`}
            class={`chunk-${interval.state}`}
            x={interval.start}
            width={interval.end - interval.start}
            height="1"
          />
        ))}
      </svg>
      <figcaption>
        <span>chunk 0</span>
        <span>{total - 1}</span>
      </figcaption>
    </figure>
  );
}
