import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { collectPages } from '../../../scripts/site/collect-pages.ts';
import { writeSite } from '../../../scripts/site/write-site.ts';

const directory = mkdtempSync(join(tmpdir(), 'edgewise-site-'));
afterAll(() => rmSync(directory, { recursive: true }));

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

const textAt = (file: string): string => readFileSync(join(directory, file), 'utf8');

function valuesOf(attribute: string, html: string): string[] {
  const found = html.matchAll(new RegExp(`<[^>]* ${attribute}="([^"]*)"`, 'g'));
  return [...found].map((match) => match[1]!.replaceAll('&amp;', '&'));
}
