import { makeSafeText } from '../../core/live/safe-text.ts';

/**
 * What programs print, for a page: pieces with how they look, made of the same safe text that a
 * terminal gets. Colours are names of sixteen, so that a page shows them in its own, readable on
 * its own ground; finer ones are left out.
 */
export type StyledPiece = {
  readonly text: string;
  /** Words of a style: `bold`, `fg-1` to `fg-15`, `bg-0` to `bg-15`; in their order. */
  readonly style: readonly string[];
};

type Style = {
  readonly marks: ReadonlySet<string>;
  readonly foreground: number | null;
  readonly background: number | null;
};

const plain: Style = { marks: new Set(), foreground: null, background: null };

const marks = new Map([
  [1, 'bold'],
  [2, 'faint'],
  [3, 'italic'],
  [4, 'underline'],
  [7, 'inverse'],
]);
const unmarks = new Map([
  [22, ['bold', 'faint']],
  [23, ['italic']],
  [24, ['underline']],
  [27, ['inverse']],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the one sequence that safe text has
const colour = /\u001b\[([0-9;:]*)m/g;

export function styledText(text: string): StyledPiece[] {
  const safeText = makeSafeText();
  const safe = safeText.add(text) + safeText.end();
  const pieces: StyledPiece[] = [];
  let style = plain;
  let at = 0;
  const add = (end: number): void => {
    if (end > at) pieces.push({ text: safe.slice(at, end), style: wordsOf(style) });
  };
  for (const found of safe.matchAll(colour)) {
    add(found.index);
    at = found.index + found[0].length;
    style = styleAfter(style, found[1] ?? '');
  }
  add(safe.length);
  return pieces;
}

function styleAfter(before: Style, codes: string): Style {
  let style = before;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const isOfTable = numbers[at + 1] === 5;
      const chosen = isOfTable ? (numbers[at + 2] ?? coloursCount) : coloursCount;
      const known = chosen < coloursCount ? chosen : null;
      style = { ...style, [code === 38 ? 'foreground' : 'background']: known };
      at += isOfTable ? 2 : 4;
    } else style = withCode(style, code);
  }
  return style;
}

const coloursCount = 16;

function withCode(style: Style, code: number): Style {
  if (code === 0) return plain;
  const mark = marks.get(code);
  if (mark !== undefined) return { ...style, marks: new Set([...style.marks, mark]) };
  const gone = unmarks.get(code);
  if (gone !== undefined) {
    return { ...style, marks: new Set([...style.marks].filter((one) => !gone.includes(one))) };
  }
  if (code === 39) return { ...style, foreground: null };
  if (code === 49) return { ...style, background: null };
  const [foreground, background] = [colourOf(code, 30, 90), colourOf(code, 40, 100)];
  if (foreground !== null) return { ...style, foreground };
  return background === null ? style : { ...style, background };
}

function colourOf(code: number, dark: number, bright: number): number | null {
  if (code >= dark && code < dark + 8) return code - dark;
  return code >= bright && code < bright + 8 ? code - bright + 8 : null;
}

function wordsOf({ marks: set, foreground, background }: Style): string[] {
  const words = [...set].sort();
  if (foreground !== null) words.push(`fg-${foreground}`);
  if (background !== null) words.push(`bg-${background}`);
  return words;
}
