import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Api } from '../../client/api.ts';
import type { Flags, FlagValues } from '../../command.ts';
import { exitCode } from '../../exit-code.ts';
import { Failure, usage } from '../../failure.ts';
import { type FileSource, readSource } from '../../files/local-input.ts';
import { uploadFiles } from '../../files/upload-files.ts';
import { jsonListBytesMax, matrixRangeMax } from '../../limits.ts';
import type { Terminal } from '../../terminal.ts';
import type { JobBody } from './job-flags.ts';

/** A chunk for each line of a file, or for each combination of values. */
export const sweepFlags = {
  'each-line': { kind: 'text', value: 'FILE', about: 'a chunk for each line, as {line}' },
  'each-csv': { kind: 'text', value: 'FILE', about: 'a chunk for each row, by the header’s names' },
  'each-json': { kind: 'text', value: 'FILE', about: 'a chunk for each object of lines or a list' },
  matrix: {
    kind: 'list',
    value: 'NAME=V,…',
    about: 'a chunk for each combination: lr=0.1,0.01 or seed=1..3',
  },
} as const satisfies Flags;

export type SweepFlagValues = FlagValues<typeof sweepFlags>;

const formats = [
  ['each-line', 'lines'],
  ['each-csv', 'csv'],
  ['each-json', 'jsonl'],
] as const;

type Format = (typeof formats)[number][1];
type Value = string | number | boolean;

/** What the parameters come to is added to the body; a file of them is stored first. */
export async function addSweep(
  client: Api,
  terminal: Terminal,
  body: JobBody,
  flags: SweepFlagValues,
): Promise<void> {
  const names = sweepFlagsOf(flags);
  if (names.length > 1) {
    throw usage(`${names.join(' and ')} cannot be given together.`, 'Put all into one file.');
  }
  if (flags.matrix.length > 0) body.params = { matrix: matrixOf(flags.matrix) };
  const one = formats.find(([name]) => flags[name] !== undefined);
  if (one === undefined) return;
  const [flag, format] = one;
  const source = await sourceOf(resolve(terminal.directory, flags[flag]!), format);
  const pool = typeof body.pool === 'string' ? body.pool : undefined;
  await uploadFiles(client, terminal, [source], pool);
  body.params = { file: source.sha256, format };
}

/** Those that were given. */
export function sweepFlagsOf(flags: SweepFlagValues): string[] {
  const files = formats.filter(([name]) => flags[name] !== undefined);
  const names = files.map(([name]) => `--${name}`);
  return flags.matrix.length > 0 ? [...names, '--matrix'] : names;
}

async function sourceOf(file: string, format: Format): Promise<FileSource> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new Failure(exitCode.usage, `There is no file ${file}.`);
  if (!found.isFile()) throw usage(`${file} is no file.`);
  if (format !== 'jsonl' || !(await beginsWithList(file))) return readSource(file);
  if (found.size > jsonListBytesMax) {
    throw usage(`${file} is too large for one list.`, 'Write an object on each line instead.');
  }
  const text = linesOf(await readFile(file, 'utf8'), file);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { sha256, bytes: Buffer.byteLength(text), name: file, from: { text } };
}

async function beginsWithList(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.toString('utf8', 0, bytesRead).trimStart().startsWith('[');
  } finally {
    await handle.close();
  }
}

function linesOf(text: string, file: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(`${file} is no JSON.`);
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** `lr=0.1,0.01` and `seed=1..3`, in the order in which they are given. */
export function matrixOf(words: readonly string[]): Record<string, Value[]> {
  const matrix = new Map<string, Value[]>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1 || at === word.length - 1) {
      throw usage(`--matrix ${word} is not NAME=V,….`, 'Write --matrix lr=0.1,0.01.');
    }
    const name = word.slice(0, at);
    if (matrix.has(name)) throw usage(`--matrix ${name} is given twice.`, 'Put a comma between.');
    matrix.set(
      name,
      word
        .slice(at + 1)
        .split(',')
        .flatMap(valuesOf),
    );
  }
  return Object.fromEntries(matrix);
}

const range = /^(-?\d{1,15})\.\.(-?\d{1,15})$/;
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

function valuesOf(text: string): Value[] {
  const ends = range.exec(text);
  if (ends !== null) {
    const [from, to] = [Number(ends[1]), Number(ends[2])];
    const length = Math.abs(to - from) + 1;
    if (length > matrixRangeMax) {
      throw usage(`${text} is more than ${matrixRangeMax} values.`, 'Use --each-line FILE.');
    }
    return Array.from({ length }, (_, index) => from + (to < from ? -index : index));
  }
  if (text === 'true' || text === 'false') return [text === 'true'];
  // A number that would not come back as it was written stays a text.
  return number.test(text) && String(Number(text)) === text ? [Number(text)] : [text];
}
