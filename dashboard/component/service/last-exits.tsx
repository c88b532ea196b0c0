import { useState } from 'preact/hooks';
import type { Chunk } from '../../../core/contract/resources.ts';
import { lastExitsShownMax } from '../../limits.ts';
import { exitWords, lastExits } from '../../model/service-instances.ts';
import { Ago } from '../ago.tsx';
import { ChunkOutput } from '../job/chunk-output.tsx';

/** How instances ended last, with what they printed: fetched when it is opened. */
type LastExitsProps = { readonly instances: readonly Chunk[]; readonly path: string };

export function LastExits({ instances, path }: LastExitsProps) {
  const ended = lastExits(instances).slice(0, lastExitsShownMax);
  if (ended.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="exits-title">
      <h2 id="exits-title">Last exits</h2>
      <ul class="attempts">
        {ended.map((instance) => (
          <li key={instance.chunk}>
            <LastExit instance={instance} path={path} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LastExit({ instance, path }: { instance: Chunk; path: string }) {
  const [open, setOpen] = useState(false);
  const toggle = (event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open);
  const { chunk, lastExit, restarts = 0 } = instance;
  return (
    <details onToggle={toggle}>
      <summary>
        <b>instance {chunk}</b>
        <span class="bad">{exitWords(lastExit)}</span>
        <span class="soft">{restarts === 1 ? '1 restart' : `${restarts} restarts`}</span>
        <span class="soft">
          <Ago at={lastExit?.at ?? null} />
        </span>
      </summary>
      {open && <ChunkOutput path={`${path}/chunks/${chunk}/output`} hasEnded />}
    </details>
  );
}
