import { useEffect, useState } from 'preact/hooks';
import type { Chunk, Job, Page } from '../../../core/contract/resources.ts';
import { pagedRowsMax } from '../../limits.ts';
import { useResource } from '../../live/use-live.ts';
import { chunkNumber } from '../../model/chunk-number.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import type { JobView } from '../../route/route.ts';
import { DraftField } from '../draft-field.tsx';
import { FeedNotice } from '../notice.tsx';
import { Pager } from '../pager.tsx';
import { ChunkDetails } from './chunk-details.tsx';

/**
 * The chunks by state, or one by its number, with what each printed and left. The API is asked for
 * one screen of them, however many there are.
 */
export type JobChunksProps = {
  readonly job: Job;
  readonly path: string;
  readonly view: JobView;
};

const everyMs = 5_000;
const states = ['done', 'running', 'scheduled', 'pending', 'waiting', 'cancelled'] as const;
type Shown = (typeof states)[number];

export function JobChunks({ job, path, view }: JobChunksProps) {
  const [only, setOnly] = useState('');
  const counts = job.status.chunks;
  const state = states.find((one) => one === view.chunks) ?? 'done';
  const number = chunkNumber(only, counts.total);
  return (
    <section class="panel" aria-labelledby="chunks-title">
      <div class="panel-head">
        <h2 id="chunks-title">Chunks and what they left</h2>
        <div class="tools">
          <DraftField
            label="Show the chunk with this number"
            placeholder="chunk number"
            value={only}
            onEnter={setOnly}
          />
        </div>
      </div>
      {only !== '' && number === null && (
        <p class="bad" role="alert">
          The chunks of this job are 0 to {counts.total - 1}.
        </p>
      )}
      {number !== null && <OneChunk path={path} number={number} />}
      {only === '' && (
        <>
          <ChunkStates job={job} view={view} state={state} />
          <ChunkPages key={state} path={path} state={state} total={counts[state]} />
        </>
      )}
    </section>
  );
}

function ChunkStates({ job, view, state }: { job: Job; view: JobView; state: Shown }) {
  const counts = job.status.chunks;
  const shown = states.filter((one) => counts[one] > 0 || one === state);
  return (
    <nav class="states" aria-label="Chunks by state">
      {shown.map((one) => (
        <Link
          key={one}
          to={{ page: 'job', id: job.id, view: { ...view, chunks: one === 'done' ? '' : one } }}
          aria-current={one === state ? 'true' : undefined}
        >
          {one} {numberWords(counts[one])}
        </Link>
      ))}
    </nav>
  );
}

function OneChunk({ path, number }: { path: string; number: number }) {
  const chunk = useResource<Chunk>(`${path}/chunks/${number}`, everyMs);
  return (
    <>
      <FeedNotice live={chunk} what={`chunk ${number}`} />
      {chunk.value !== null && <ChunkList chunks={[chunk.value]} path={path} />}
    </>
  );
}

function ChunkPages({ path, state, total }: { path: string; state: Shown; total: number }) {
  /** Where the pages behind this one began. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const query = `state=${state}&limit=${pagedRowsMax}${from}`;
  const none = total === 0;
  const page = useResource<Page<Chunk>>(none ? null : `${path}/chunks?${query}`, everyMs);
  useEffect(() => {
    if (none) setCursors([]);
  }, [none]);
  if (none) return <p class="soft">No chunk is {state}.</p>;
  const next = page.value?.nextCursor ?? null;
  const first = cursors.length * pagedRowsMax;
  const shown = page.value?.items ?? [];
  return (
    <>
      <FeedNotice live={page} what="chunks" />
      <ChunkList chunks={shown} path={path} />
      <Pager
        label="Pages of chunks"
        words={`${numberWords(first + 1)}–${numberWords(first + shown.length)}`}
        onBack={cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1))}
        onNext={next === null ? null : () => setCursors([...cursors, next])}
      />
    </>
  );
}

function ChunkList({ chunks, path }: { chunks: readonly Chunk[]; path: string }) {
  return (
    <ul class="attempts">
      {chunks.map((chunk) => (
        <li key={chunk.chunk}>
          <ChunkDetails chunk={chunk} path={path} />
        </li>
      ))}
    </ul>
  );
}
