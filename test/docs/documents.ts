import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../source-files.ts';

/** The pages of the repository, as the tests of what they say read them. */
export type Document = {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly folder: string;
  readonly text: string;
};

const generated = /(^|\/)(node_modules|dist|cdk\.out|fixtures|\.edgewise|\.edgewise-local)$/;

export function documents(): Document[] {
  const found = globSync(['*.md', '{.github,*}/**/*.md'], {
    cwd: root,
    exclude: (name) => generated.test(name),
  });
  return [...new Set(found.map((path) => path.replaceAll('\\', '/')))].sort().map(documentAt);
}

export function documentAt(path: string): Document {
  return { path, folder: posix.dirname(path), text: readFileSync(join(root, path), 'utf8') };
}

/** The part of a page below a heading, up to the next heading of that level or above. */
export function sectionOf({ text }: Pick<Document, 'text'>, heading: string): string | null {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^#+ /.test(line) && titleOf(line) === heading);
  if (at < 0) return null;
  const level = levelOf(lines[at]!);
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line) && levelOf(line) <= level);
  return (end < 0 ? rest : rest.slice(0, end)).join('\n');
}

const titleOf = (heading: string): string => heading.replace(/^#+ /, '').trim();
const levelOf = (heading: string): number => /^#+/.exec(heading)![0].length;

/** The cells of every row of the tables in a text, without the heads. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  const isRule = (line: string | undefined) => line !== undefined && /^\|[-\s|:]+\|$/.test(line);
  return lines
    .filter((line, at) => !isRule(line) && !isRule(lines[at + 1]))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** What stands between single backticks. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => match[1]!);
}
