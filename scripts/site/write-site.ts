import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, Stop } from '../repository.mjs';
import { collectPages, firstPage } from './collect-pages.ts';
import { htmlOf } from './layout.ts';
import { navigation } from './navigation.ts';
import { readText } from './repository-paths.ts';
import { searchScript } from './search-entries.ts';

export type Wanted = { readonly directory: string; readonly source: string | null };
export type Written = { readonly pages: number; readonly files: number };

const assets: readonly (readonly [from: string, to: string])[] = [
  ['dashboard/style/tokens.css', 'assets/tokens.css'],
  ['dashboard/public/favicon.svg', 'assets/favicon.svg'],
  ['scripts/site/assets/site.css', 'assets/site.css'],
  ['scripts/site/assets/search.css', 'assets/search.css'],
  ['scripts/site/assets/site.js', 'assets/site.js'],
];

/** Writes the site anew. Nothing is written when a link of any page leads nowhere. */
export function writeSite({ directory, source }: Wanted): Written {
  const { pages, files, broken } = collectPages(source);
  if (broken.length > 0) throw new Stop(`The site is not written:\n  ${broken.join('\n  ')}`);
  const frame = {
    groups: menuOf(pages.map(({ path }) => path)),
    pages: new Map(pages.map((page) => [page.path, page] as const)),
    version: versionOf(),
  };
  rmSync(directory, { recursive: true, force: true });
  for (const page of pages) write(join(directory, page.file), htmlOf(page, frame));
  write(join(directory, 'assets', 'search.js'), searchScript(pages));
  const copied = [...assets, ...files.map((path) => [path, path.replace(/^docs\//, '')] as const)];
  for (const [from, to] of copied) cpSync(join(root, from), join(directory, to));
  return { pages: pages.length, files: copied.length };
}

/** The menu as the first page has it, and below it what other pages lead to. */
function menuOf(paths: readonly string[]) {
  const groups = navigation();
  const known = new Set([firstPage, ...groups.flatMap((group) => group.paths)]);
  const rest = paths.filter((path) => !known.has(path) && !path.startsWith('docs/decisions/'));
  return rest.length === 0 ? groups : [...groups, { title: 'Beside these', paths: rest }];
}

function versionOf(): string {
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  return version;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
