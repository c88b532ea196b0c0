import { numberWords } from '../model/words.ts';

/** Where one is in a list that is shown page by page, and the way on. */
export type PagerProps = {
  readonly label: string;
  /** What stands between the buttons: `26–50 of 300`. */
  readonly words: string;
  readonly onBack: (() => void) | null;
  readonly onNext: (() => void) | null;
};

export function Pager({ label, words, onBack, onNext }: PagerProps) {
  if (onBack === null && onNext === null) return null;
  return (
    <nav class="pager" aria-label={label}>
      <button type="button" disabled={onBack === null} onClick={() => onBack?.()}>
        Back
      </button>
      <span class="soft">{words}</span>
      <button type="button" disabled={onNext === null} onClick={() => onNext?.()}>
        Next
      </button>
    </nav>
  );
}

/** `26–50 of 300`. */
export function pageWords(at: number, rows: number, rowsMax: number, total: number): string {
  const from = at * rowsMax;
  return `${numberWords(from + 1)}–${numberWords(from + rows)} of ${numberWords(total)}`;
}
