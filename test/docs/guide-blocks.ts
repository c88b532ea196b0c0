import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../source-files.ts';
import { documentAt } from './documents.ts';

/**
 * The commands of a guide. The words after `sh` at a fence say where they run: none here, as they
 * stand; `in another terminal` here as well, until the page is over; `elsewhere: WHAT` only where
 * there is that, so they are held against the client's own table of commands and not run.
 */
export type GuideBlock = {
  readonly page: string;
  /** Of the fence, counted from 1. */
  readonly line: number;
  readonly where: 'here' | 'beside' | 'elsewhere';
  /** What it needs that is not here. */
  readonly needs: string | null;
  readonly text: string;
};

const fence = /^```sh(?: (.*))?$/;
const elsewhere = /^elsewhere: (\S.*)$/;
const beside = 'in another terminal';

export function guidePages(): string[] {
  const names = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => `docs/guides/${name}`);
}

export function guideBlocks(page: string): GuideBlock[] {
  return blocksOf(page, documentAt(page).text);
}

export function blocksOf(page: string, text: string): GuideBlock[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const words = fence.exec(line);
    if (words === null) return [];
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1} has no end`);
    const block = lines.slice(at + 1, end).join('\n');
    return [{ page, line: at + 1, text: block, ...placeOf(words[1], `${page}:${at + 1}`) }];
  });
}

function placeOf(words: string | undefined, at: string): Pick<GuideBlock, 'where' | 'needs'> {
  if (words === undefined) return { where: 'here', needs: null };
  if (words === beside) return { where: 'beside', needs: null };
  const needs = elsewhere.exec(words)?.[1];
  if (needs === undefined) throw new Error(`${at}: "${words}" says nothing about where it runs`);
  return { where: 'elsewhere', needs };
}

/**
 * A block as a script that ends at the first command that does not do what the page says. A line
 * that ends in `# ends with 7` is meant to.
 */
export function scriptOf({ text }: Pick<GuideBlock, 'text'>): string {
  const lines = text.split('\n').map((line) => {
    const meant = /^(.*\S)\s+# ends with (\d+)\b.*$/.exec(line);
    if (meant === null) return line;
    const [, command, code] = meant;
    return `ended=0; ${command} || ended=$?; [ $ended = ${code} ] || exit 99`;
  });
  return ['set -eo pipefail', ...lines].join('\n');
}
