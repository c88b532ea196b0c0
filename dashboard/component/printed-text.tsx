import { useMemo } from 'preact/hooks';
import { styledText } from '../model/styled-text.ts';

/** What a program printed, in its colours; whatever else it would do to a terminal is shown. */
export function PrintedText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => styledText(text), [text]);
  return (
    <>
      {pieces.map(({ text: words, style }, at) =>
        // Pieces have no names, and never change their order.
        style.length === 0 ? (
          words
        ) : (
          <span key={at} class={classesOf(style)}>
            {words}
          </span>
        ),
      )}
    </>
  );
}

const classesOf = (style: readonly string[]): string =>
  style.map((word) => `printed-${word}`).join(' ');
