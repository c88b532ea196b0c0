import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { collectPages } from '../../../scripts/site/collect-pages.ts';
import { HeadingAnchors } from '../../../scripts/site/heading-anchors.ts';
import { navigation } from '../../../scripts/site/navigation.ts';
import { hrefBetween, siteFileOf, targetOf } from '../../../scripts/site/repository-paths.ts';
import { root } from '../../source-files.ts';

const { pages, broken } = collectPages();

test('no link of any page leads nowhere, neither to a file nor to a heading', () => {
  expect(broken).toEqual([]);
});

test('every page of the documentation is on the site', () => {
  const shown = new Set(pages.map(({ path }) => path));
  const written = globSync('docs/**/*.md', { cwd: root });
  expect(written.filter((path) => !shown.has(path))).toEqual([]);
  expect(written.length).toBeGreaterThan(60);
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
