import { type Page, readPage } from './read-page.ts';
import { isFile } from './repository-paths.ts';

/** All pages, the first one first, and what is wrong with the links between them. */
export type Collected = {
  readonly pages: readonly Page[];
  /** Files of the repository that go with the pages: images, the OpenAPI document. */
  readonly files: readonly string[];
  readonly broken: readonly string[];
};

export const firstPage = 'docs/README.md';
/** A site of more pages than this follows links that it should not. */
const pagesMax = 1_000;

/** Follows the links of the first page: what nobody links to, nobody would find. */
export function collectPages(source: string | null = null): Collected {
  const pages = new Map<string, Page>();
  const files = new Set<string>();
  const broken: string[] = [];
  const ahead = [firstPage];
  for (let path = ahead.shift(); path !== undefined; path = ahead.shift()) {
    if (pages.has(path)) continue;
    if (pages.size >= pagesMax) throw new Error(`the site has more than ${pagesMax} pages`);
    const page = readPage(path, source);
    pages.set(path, page);
    for (const target of page.targets) {
      if (target.kind === 'elsewhere') continue;
      if (!isThere(target.path)) broken.push(`${path}: ${target.path} is not there`);
      else if (target.kind === 'page') ahead.push(target.path);
      else if (target.path.startsWith('docs/')) files.add(target.path);
    }
  }
  broken.push(...lostAnchors(pages), ...doubleFiles(pages));
  return { pages: [...pages.values()], files: [...files].sort(), broken };
}

function isThere(path: string): boolean {
  return !path.startsWith('..') && (isFile(path) || !/\.[a-z]+$/.test(path));
}

function lostAnchors(pages: ReadonlyMap<string, Page>): string[] {
  return [...pages.values()].flatMap(({ path, targets }) =>
    targets.flatMap((target) => {
      if (target.kind !== 'page' || target.anchor === '') return [];
      const anchors = pages.get(target.path)?.sections.map(({ anchor }) => anchor) ?? [];
      if (anchors.includes(target.anchor)) return [];
      return [`${path}: ${target.path} has no heading #${target.anchor}`];
    }),
  );
}

function doubleFiles(pages: ReadonlyMap<string, Page>): string[] {
  const owners = new Map<string, string>();
  const doubles: string[] = [];
  for (const { path, file } of pages.values()) {
    const other = owners.get(file);
    if (other === undefined) owners.set(file, path);
    else doubles.push(`${path}: its place ${file} is that of ${other}`);
  }
  return doubles;
}
