import { useText } from '../../live/use-live.ts';
import { FeedNotice } from '../notice.tsx';
import { PrintedText } from '../printed-text.tsx';
import { ScrollText } from '../scroll-box.tsx';

/** What a chunk printed, as far as it was kept; read from when this is first drawn. */
type ChunkOutputProps = {
  readonly path: string;
  readonly hasEnded: boolean;
  /** Where several are shown. */
  readonly label?: string;
};

export function ChunkOutput({ path, hasEnded, label }: ChunkOutputProps) {
  const output = useText(path, hasEnded);
  if (output.value === null) return <FeedNotice live={output} what="output" />;
  const { text } = output.value;
  if (text === null) {
    return <p class="soft">{hasEnded ? 'No output was kept.' : 'It has printed nothing yet.'}</p>;
  }
  return (
    <ScrollText label={label ?? 'Output of the chunk'}>
      {text === '' ? '(it printed nothing)' : <PrintedText text={text} />}
    </ScrollText>
  );
}
