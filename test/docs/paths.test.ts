import { existsSync, globSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { folders, root, type SourceFile, sourceFiles } from '../source-files.ts';
import { codeIn, type Document, documents } from './documents.ts';

/** A page that names a file of the repository names one that is there. */
const pages = documents();

const top = [...folders, '.ci', '.github', 'docs', 'packaging'].map((it) => it.replace('.', '\\.'));

/** From the root, wherever it stands: `core/model/limits.ts`, `core/ports/`, `cli/<noun>/`. */
const pathPattern = new RegExp(
  `(?<![\\w./@:$-])(?:\\./)?((?:${top.join('|')})/[\\w./{},*<>-]*[\\w/}*>])`,
  'g',
);
/** In backticks: `phases/place.ts`, `candidates.ts`. */
const filePattern = /^[\w.{},*<>-][\w.{},*<>/-]*\.(ts|tsx|mjs)$/;

/** What a command of a page makes. */
const made = /\/cdk\.out$/;

/** `<noun>` stands for any name. */
function isThere(path: string, folder: string): boolean {
  const bare = path.replace(/\/$/, '').replaceAll(/<[\w-]+>/g, '*');
  const within = posix.normalize(posix.join(folder, bare));
  if (/[*{]/.test(within)) return globSync(within, { cwd: root }).length > 0;
  return existsSync(join(root, within));
}

/** The page of promises names tests by their path below `test/`, or of the local cloud. */
function isTest(name: string): boolean {
  const local = name.replace(/^local\//, 'local/test/');
  return isThere(`test/${name}.test.ts`, '.') || isThere(`${local}.test.ts`, '.');
}

function missingIn({ path: page, folder, text }: Document): string[] {
  const missing = new Set<string>();
  let before = folder;
  text.split('\n').forEach((line, at) => {
    if (line === '') before = folder;
    const say = (path: string) => missing.add(`${page}:${at + 1}: ${path}`);
    for (const match of line.matchAll(pathPattern)) {
      const path = match[1]!;
      if (made.test(path) || isTest(path)) continue;
      if (!isThere(path, '.') && !isThere(path, folder)) say(path);
    }
    // A name alone is one in the folder of the path before it, in the page's, or at the root.
    for (const code of codeIn(line)) {
      if (code.includes('/')) before = posix.dirname(code.replace(/\/$/, '/x'));
      if (!filePattern.test(code)) continue;
      const within = `${folder}/${before}`;
      const places = [before, `${before}/*`, within, `${within}/*`, folder, '.'];
      if (!places.some((it) => isThere(code, it))) say(code);
    }
  });
  return [...missing];
}

/** `[words](target)` within the repository; an address has a scheme. */
function brokenLinksIn({ path: page, folder, text }: Document): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1]!);
  return links
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ''))
    .filter((target) => !existsSync(join(root, folder, target)))
    .map((target) => `${page}: ${target}`);
}

test.each(pages.map((page) => [page.path, page] as const))('%s names what is there', (_, page) => {
  expect(missingIn(page)).toEqual([]);
  expect(brokenLinksIn(page)).toEqual([]);
});

/** `phases/place.ts`: from the root, from the file, or from the folder at the top of it. */
function missingInComments({ path, folder, lines }: SourceFile): string[] {
  const beside = posix.dirname(path);
  const places = ['.', beside, posix.dirname(beside), folder];
  return lines.flatMap((line, at) => {
    if (!/^\s*(\/\/|\*|\/\*)/.test(line)) return [];
    const named = codeIn(line).filter((code) => filePattern.test(code) && code.includes('/'));
    const gone = named.filter((code) => !places.some((it) => isThere(code, it)));
    return gone.map((code) => `${path}:${at + 1}: ${code}`);
  });
}

test('a comment names files that are there', () => {
  const sources = sourceFiles().filter(({ path }) => !path.startsWith('test/docs/'));
  expect(sources.flatMap(missingInComments)).toEqual([]);
  const lines = ['/** As `reconcile/place.ts` does it. */', "const x = 'a `b/c.ts`';"];
  const file = { path: 'core/scheduler/x.ts', folder: 'core', text: '', lines };
  expect(missingInComments(file)).toEqual(['core/scheduler/x.ts:1: reconcile/place.ts']);
});

test('a page that names what is gone is seen', () => {
  const text = [
    'see `core/reconcile/place.ts`, `core/model/limits.ts`, `ranges.ts`',
    'or `core/scheduler/phases/place.ts` and `candidates.ts`, `cli/<noun>/<verb>-<noun>.ts`',
    'or `core/model/names.ts`,',
    '`limits.ts`, `gone.ts`, or `lambdas/none/`, and [this](docs/none.md),' +
      ' [that](https://x.invalid/none.md)',
  ].join('\n');
  const page: Document = { path: 'README.md', folder: '.', text };
  expect(missingIn(page)).toEqual([
    'README.md:1: core/reconcile/place.ts',
    'README.md:2: candidates.ts',
    'README.md:4: lambdas/none/',
    'README.md:4: docs/none.md',
    'README.md:4: gone.ts',
  ]);
  expect(brokenLinksIn(page)).toEqual(['README.md: docs/none.md']);
  expect(pages.length).toBeGreaterThan(20);
});
