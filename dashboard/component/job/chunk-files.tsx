import type { ResultFile } from '../../../core/contract/files/result-body.ts';
import type { Page } from '../../../core/contract/resources.ts';
import { listedFilesMax } from '../../limits.ts';
import { useResource } from '../../live/use-live.ts';
import { webAddress } from '../../model/web-address.ts';
import { bytesWords } from '../../model/words.ts';
import { FeedNotice } from '../notice.tsx';

/**
 * The files that a chunk left, as links. Their addresses are good for an hour, so that new ones are
 * asked for before.
 */
const everyMs = 30 * 60_000;

export function ChunkFiles({ path, chunk }: { path: string; chunk: number }) {
  const query = `chunk=${chunk}&limit=${listedFilesMax}`;
  const files = useResource<Page<ResultFile>>(`${path}/files?${query}`, everyMs);
  if (files.value === null) return <FeedNotice live={files} what="the files" />;
  const { items, nextCursor } = files.value;
  return (
    <div>
      <FeedNotice live={files} what="the files" />
      <ul class="files" aria-label={`Files of chunk ${chunk}`}>
        {items.map((file) => (
          <li key={file.path}>
            <FileName file={file} />
            <span class="figures">{file.bytes !== undefined && bytesWords(file.bytes)}</span>
          </li>
        ))}
      </ul>
      {nextCursor !== null && (
        <p class="soft">
          The first {listedFilesMax}. All of them: <code>edgewise pull</code>
        </p>
      )}
    </div>
  );
}

function FileName({ file: { path, url, link } }: { file: ResultFile }) {
  const href = url === undefined ? null : webAddress(url);
  if (link !== undefined) return <code>{`${path} → ${link}`}</code>;
  if (href === null) return <code>{path}</code>;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      <code>{path}</code>
    </a>
  );
}
