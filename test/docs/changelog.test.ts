import { expect, test } from 'vitest';
import { documentAt } from './documents.ts';

/** Keep a Changelog: a version has each kind of change once, and no line twice, as merges make. */
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/** Two lines that begin alike are two forms of one. */
const beginningLength = 60;

function faultsOf(text: string): string[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((version) => {
      const headings = [...version.matchAll(/^### (.+)$/gm)].map((match) => match[1]!);
      const inOrder = kinds.filter((kind) => headings.includes(kind));
      const items = [...version.matchAll(/^- .+$/gm)].map(([line]) => {
        return line.slice(0, beginningLength);
      });
      const twice = items.filter((item, at) => items.indexOf(item) !== at);
      return headings.join() === inOrder.join() ? twice : [headings.join(), ...twice];
    });
}

test('each kind of change has its place once, and each change its line', () => {
  expect(faultsOf(documentAt('CHANGELOG.md').text)).toEqual([]);
});

test('a second heading, and a line that a merge doubled, are seen', () => {
  const text = '## Unreleased\n\n### Added\n\n- a\n- b\n\n### Fixed\n\n- a\n\n### Fixed\n';
  expect(faultsOf(text)).toEqual(['Added,Fixed,Fixed', '- a']);
  expect(faultsOf('## 1\n\n### Fixed\n\n### Added\n')).toEqual(['Fixed,Added']);
});
