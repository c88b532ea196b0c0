import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tables of a page that say by which tests each of their rows is shown. */
const root = join(import.meta.dirname, '../..');

export type Row = { readonly section: string; readonly text: string };

export function rowsOf(text: string): Row[] {
  return text.split(/^## /m).flatMap((part) => {
    const [section = '', ...lines] = part.split('\n');
    const rows = lines.filter((line) => line.startsWith('| '));
    return rows.slice(1).map((line) => ({ section, text: line }));
  });
}

/**
 * Where the row says that it is shown: a file below `test/`, or of the tests of `local/`, and the
 * title as its source has it.
 */
export function proofsOf({ text }: Row): { path: string; title: string }[] {
  const proofs = text.matchAll(/`([a-z0-9/.-]+)` › (.+?)(?=<br>| \|)/g);
  return [...proofs].map(([, path, title]) => ({ path: fileOf(path!), title: title! }));
}

function fileOf(name: string): string {
  const [first, ...rest] = name.split('/');
  return first === 'local' ? `local/test/${rest.join('/')}.test.ts` : `test/${name}.test.ts`;
}

const quotes = ["'", '"', '`'];

export function whyNot({ path, title }: { path: string; title: string }): string | null {
  const file = join(root, path);
  if (!existsSync(file)) return `there is no ${path}`;
  const source = readFileSync(file, 'utf8');
  const isTitle = (at: number): boolean => /[(\n]\s*$/.test(source.slice(0, at));
  const isThere = quotes.some((quote) => isTitle(source.indexOf(`${quote}${title}${quote},`)));
  return isThere ? null : `${path} has no test "${title}"`;
}
