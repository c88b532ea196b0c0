import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { collectPages } from '../../../scripts/site/collect-pages.ts';
import { HeadingAnchors } from '../../../scripts/site/heading-anchors.ts';
import { navigation } from '../../../scripts/site/navigation.ts';
import { hrefBetween, siteFileOf, targetOf } from '../../../scripts/site/repository-paths.ts';
import { writeSite } from '../../../scripts/site/write-site.ts';
import { root } from '../../source-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'edgewise-site-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('no link of any page leads nowhere, neither to a file nor to a heading', () => {
  expect(collectPages().broken).toEqual([]);
});

test('every page of the documentation is on the site', () => {
  const shown = new Set(collectPages().pages.map(({ path }) => path));
  const written = globSync('docs/**/*.md', { cwd: root });
  expect(written.filter((path) => !shown.has(path))).toEqual([]);
  expect(written.length).toBeGreaterThan(60);
});

test('every link between the written pages is one of a file and a heading that are there', () => {
  const { pages } = writeSite({ directory, source: null });
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const html = files.filter((file) => file.endsWith('.html'));
  expect(html).toHaveLength(pages);
  const idsOf = new Map(html.map((file) => [file, new Set(valuesOf('id', textAt(file)))]));
  const lost = html.flatMap((file) =>
    [...valuesOf('href', textAt(file)), ...valuesOf('src', textAt(file))]
      .filter((href) => !/^[a-z]+:/.test(href) && href !== '#')
      .filter((href) => {
        const { pathname, hash } = new URL(href, `file:///${file}`);
        const to = decodeURIComponent(pathname.slice(1));
        if (!files.includes(to)) return true;
        return hash !== '' && !idsOf.get(to)!.has(decodeURIComponent(hash.slice(1)));
      })
      .map((href) => `${file}: ${href}`),
  );
  expect(lost).toEqual([]);
});

test('what is looked through has every heading, and ends no script', () => {
  writeSite({ directory, source: null });
  const script = textAt('assets/search.js');
  expect(script).not.toContain('<');
  const { sections } = JSON.parse(script.slice(script.indexOf('(') + 1, script.lastIndexOf(')')));
  const headings = collectPages().pages.flatMap((page) => page.sections);
  expect(sections).toHaveLength(headings.length);
});

test('with an address of the sources, what is not on the site is linked there', () => {
  writeSite({ directory, source: 'https://forge.example/edgewise/' });
  const page = textAt('local-cloud.html');
  const path = 'local/test/flow/clients/clients.test.ts';
  expect(page).toContain(`href="https://forge.example/edgewise/${path}"`);
});

test('the menu is that of the first page', () => {
  const titles = navigation().map(({ title }) => title);
  expect(titles).toContain('Guides');
  expect(navigation().find(({ title }) => title === 'Guides')!.paths).toContain(
    'docs/guides/first-job.md',
  );
});

test('anchors are those of a forge', () => {
  const anchors = new HeadingAnchors();
  expect(anchors.next('When, exactly?')).toBe('when-exactly');
  expect(anchors.next('GET /v1/jobs/{id}')).toBe('get-v1jobsid');
  expect(anchors.next('When, exactly?')).toBe('when-exactly-1');
  expect(anchors.next('snake_case and Größe')).toBe('snake_case-and-größe');
});

test('a page stands where its links find it', () => {
  expect(siteFileOf('docs/README.md')).toBe('index.html');
  expect(siteFileOf('docs/guides/aws.md')).toBe('guides/aws.html');
  expect(siteFileOf('local/README.md')).toBe('local/index.html');
  expect(siteFileOf('README.md')).toBe('readme.html');
  expect(hrefBetween('guides/aws.html', 'index.html')).toBe('../index.html');
  expect(hrefBetween('a.html', 'a.html')).toBe('a.html');
  expect(targetOf('docs/guides/aws.md', '../files.md#on-an-edge')).toEqual({
    kind: 'page',
    path: 'docs/files.md',
    anchor: 'on-an-edge',
  });
  expect(targetOf('docs/a.md', 'https://example.com/b.md').kind).toBe('elsewhere');
});

const textAt = (file: string): string => readFileSync(join(directory, file), 'utf8');

function valuesOf(attribute: string, html: string): string[] {
  const found = html.matchAll(new RegExp(`<[^>]* ${attribute}="([^"]*)"`, 'g'));
  return [...found].map((match) => match[1]!.replaceAll('&amp;', '&'));
}
