import { useState } from 'preact/hooks';
import type { Chunk } from '../../../core/contract/resources.ts';
import { chunkEndWords } from '../../model/reason-words.ts';
import { Link } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { StateBadge } from '../marks.tsx';
import { ChunkFiles } from './chunk-files.tsx';
import { ChunkOutput } from './chunk-output.tsx';

/** One chunk in a line; what it printed and left is read when it is opened. */
const quiet: ReadonlySet<Chunk['state']> = new Set(['waiting', 'pending', 'scheduled']);

export function ChunkDetails({ chunk, path }: { chunk: Chunk; path: string }) {
  const [open, setOpen] = useState(false);
  const toggle = (event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open);
  const { chunk: number, state, edge, attempts, files, stderr } = chunk;
  return (
    <details onToggle={toggle}>
      <summary>
        <b>chunk {number}</b>
        {state === 'dead' ? (
          <span class="bad" title={chunk.reason ?? ''}>
            {chunkEndWords(chunk.reason, chunk.exitCode)}
          </span>
        ) : (
          <span>
            <StateBadge state={state} />
          </span>
        )}
        <span class="soft">
          {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
          {chunk.exitCode !== null && `, exit code ${chunk.exitCode}`}
          {files !== undefined && `, ${files.count === 1 ? '1 file' : `${files.count} files`}`}
        </span>
        <span class="soft">{chunk.endedAt !== null && <Ago at={chunk.endedAt} />}</span>
      </summary>
      {chunk.params !== undefined && (
        <p class="soft">
          <code>{paramsText(chunk.params)}</code>
        </p>
      )}
      {edge !== null && (
        <p class="soft">
          Last on <Link to={{ page: 'edge', name: edge }}>{edge}</Link>
        </p>
      )}
      {open && files !== undefined && <ChunkFiles path={path} chunk={number} />}
      {open && !quiet.has(state) && (
        <ChunkOutput path={`${path}/chunks/${number}/output`} hasEnded={state !== 'running'} />
      )}
      {open && stderr !== undefined && (
        <>
          <p class="soft">Standard error</p>
          <ChunkOutput path={stderr} hasEnded label="Standard error of the chunk" />
        </>
      )}
    </details>
  );
}

function paramsText(params: NonNullable<Chunk['params']>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
