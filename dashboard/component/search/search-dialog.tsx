import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Edge, Job, Pool, Queue, Schedule } from '../../../core/contract/resources.ts';
import { fleetJobsMax, listedJobspecsMax, searchHitsMax } from '../../limits.ts';
import { useCollection } from '../../live/use-live.ts';
import { type ListedJobspec, type SearchHit, searchHits } from '../../model/search/search-hits.ts';
import { go } from '../../route/navigation.tsx';
import { FeedNotice } from '../notice.tsx';

/**
 * Finds whatever has a page, while somebody types: the arrows choose, Enter goes there. What can be
 * found is read while the dialog is open, and not before.
 */
const everyMs = 10_000;

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="search-dialog" aria-label="Search" onClose={onClose}>
      <SearchBox onClose={onClose} />
    </dialog>
  );
}

function SearchBox({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { sources, problem } = useSources();
  const hits = useMemo(() => searchHits(text, sources, searchHitsMax), [text, sources]);
  const chosen = Math.min(at, hits.length - 1);
  const open = (hit: SearchHit | undefined) => {
    if (hit === undefined) return;
    onClose();
    go(hit.to);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(hits[chosen]);
    else if (event.key === 'ArrowDown') setAt((chosen + 1) % hits.length);
    else if (event.key === 'ArrowUp') setAt((chosen + hits.length - 1) % hits.length);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        // Of a search field Escape would empty the text at first, and not close the dialog.
        type="text"
        role="combobox"
        aria-label="Search"
        aria-expanded={hits.length > 0}
        aria-controls="search-hits"
        aria-activedescendant={hits.length > 0 ? `search-hit-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="edge, label, job, pool, queue, schedule, page"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      {problem !== null && <FeedNotice live={problem} what="what can be found" />}
      {hits.length === 0 && <p class="soft">Nothing is called so.</p>}
      <Hits hits={hits} chosen={chosen} onOpen={open} />
    </>
  );
}

type HitsProps = {
  readonly hits: readonly SearchHit[];
  readonly chosen: number;
  readonly onOpen: (hit: SearchHit) => void;
};

function Hits({ hits, chosen, onOpen }: HitsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div ref={list} id="search-hits" role="listbox" aria-label="Found">
      {hits.map((hit, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of the list
        <div
          key={`${hit.kind} ${hit.title} ${hit.detail}`}
          id={`search-hit-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onOpen(hit)}
        >
          <span class="hit-kind">{hit.kind}</span>
          <b>{hit.title}</b>
          <span class="soft">{hit.detail !== hit.title && hit.detail}</span>
        </div>
      ))}
    </div>
  );
}

/** Whatever was read so far; and the first list that cannot be read, unless it may not be. */
function useSources() {
  const edges = useCollection<Edge>('/v1/edges', everyMs);
  const jobs = useCollection<Job>('/v1/jobs', everyMs, fleetJobsMax);
  const pools = useCollection<Pool>('/v1/pools', everyMs);
  const queues = useCollection<Queue>('/v1/queues', everyMs);
  const schedules = useCollection<Schedule>('/v1/schedules', everyMs);
  const jobspecs = useCollection<ListedJobspec>('/v1/jobspecs', everyMs, listedJobspecsMax);
  const lists = [edges, jobs, pools, queues, schedules, jobspecs];
  const values = lists.map(({ value }) => value);
  const sources = useMemo(
    () => ({
      edges: edges.value?.items ?? [],
      jobs: jobs.value?.items ?? [],
      pools: pools.value?.items ?? [],
      queues: queues.value?.items ?? [],
      schedules: schedules.value?.items ?? [],
      jobspecs: jobspecs.value?.items ?? [],
    }),
    values,
  );
  // A token of one scope sees what it may see, and finds that.
  const failing = lists.find(({ problem }) => problem !== null && problem.kind !== 'forbidden');
  return { sources, problem: failing ?? null };
}
