import { useState } from 'preact/hooks';
import type { Chunk, Job } from '../../../core/contract/resources.ts';
import { failedChunksMax, pagedRowsMax } from '../../limits.ts';
import { useCollection } from '../../live/use-live.ts';
import { numberWords } from '../../model/words.ts';
import { FeedNotice } from '../notice.tsx';
import { Pager, pageWords } from '../pager.tsx';
import { ChunkDetails } from './chunk-details.tsx';

/** The chunks that failed: where, how often, why, what they said; a screen of them at a time. */
const everyMs = 5_000;

export function JobAttempts({ job, path }: { job: Job; path: string }) {
  const { dead } = job.status.chunks;
  const [wanted, setAt] = useState(0);
  const chunks = useCollection<Chunk>(
    dead > 0 ? `${path}/chunks?state=dead` : null,
    everyMs,
    failedChunksMax,
  );
  if (dead === 0) return null;
  const items = chunks.value?.items ?? [];
  const last = Math.max(0, Math.ceil(items.length / pagedRowsMax) - 1);
  const at = Math.min(wanted, last);
  const shown = items.slice(at * pagedRowsMax, (at + 1) * pagedRowsMax);
  return (
    <section class="panel" aria-labelledby="attempts-title">
      <h2 id="attempts-title">
        Failed chunks <span class="soft">{numberWords(dead)}</span>
      </h2>
      <FeedNotice live={chunks} what="failed chunks" />
      <ul class="attempts">
        {shown.map((chunk) => (
          <li key={chunk.chunk}>
            <ChunkDetails chunk={chunk} path={path} />
          </li>
        ))}
      </ul>
      <Pager
        label="Pages of failed chunks"
        words={pageWords(at, shown.length, pagedRowsMax, items.length)}
        onBack={at === 0 ? null : () => setAt(at - 1)}
        onNext={at === last ? null : () => setAt(at + 1)}
      />
      {chunks.value?.more && (
        <p class="soft">
          The first {failedChunksMax}; the rest with{' '}
          <code>edgewise job chunks {job.id} --state dead</code>
        </p>
      )}
    </section>
  );
}
