/**
 * What a task runs. A text is a line for the shell, or a script that names its interpreter, which
 * then runs it: with `-c` where the interpreter is known to have it, otherwise from
 * standard input by way of the shell.
 */
export type Command = string | readonly string[];

const takesText = /^(sh|bash|dash|zsh|ksh|python[\d.]*)$/;
const takesLine = new Map([
  ['perl', '-e'],
  ['ruby', '-e'],
  ['node', '-e'],
]);

/** `null`: nothing is named behind `#!`. */
export function argvOf(command: Command): readonly string[] | null {
  if (typeof command !== 'string') return [...command];
  if (!command.startsWith('#!')) return ['sh', '-c', command];
  const words = command.split('\n', 1)[0]!.slice(2).trim().split(/\s+/).filter(Boolean);
  const program = words.at(-1)?.split('/').at(-1) ?? '';
  if (program === '' || program === 'env') return null;
  if (takesText.test(program)) return [...words, '-c', command];
  const option = takesLine.get(program);
  if (option !== undefined) return [...words, option, command];
  // A file of its own, as the system would have run it.
  const script =
    'f=$(mktemp) || exit 1; trap \'rm -f "$f"\' EXIT; printf %s "$0" > "$f"; "$@" "$f"';
  return ['sh', '-c', script, command, ...words];
}

/** A line parted as a shell parts it, without expanding anything; `null`: a quote has no end. */
export function wordsOf(line: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const it = line[at]!;
    if (it === "'" || it === '"') {
      const end = endOfQuote(line, at);
      if (end < 0) return null;
      const inside = line.slice(at + 1, end);
      word = (word ?? '') + (it === '"' ? inside.replace(/\\(["\\$`])/g, '$1') : inside);
      at = end;
    } else if (it === '\\') word = (word ?? '') + (line[++at] ?? '');
    else if (!/\s/.test(it)) word = (word ?? '') + it;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  return word === null ? words : [...words, word];
}

function endOfQuote(line: string, start: number): number {
  const quote = line[start]!;
  for (let at = start + 1; at < line.length; at++) {
    if (quote === '"' && line[at] === '\\') at++;
    else if (line[at] === quote) return at;
  }
  return -1;
}

/** One word of a shell's line that means exactly this text. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
