import { expect, test } from 'vitest';
import { cutChangelog } from '../../../scripts/release/cut-changelog.ts';

const text = `# Changelog

All changes.

## Unreleased

### Added

- One thing.

## 0.1.0 (2026-01-01)

- Another.
`;

test('what is new becomes the section of the version, under an empty one', () => {
  const cut = cutChangelog(text, '0.2.0', '2026-02-03');
  expect(cut.notes).toBe('### Added\n\n- One thing.');
  expect(cut.text).toBe(
    text.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-02-03)\n'),
  );
});

test('a version is cut once', () => {
  expect(() => cutChangelog(text, '0.1.0', '2026-02-03')).toThrow('has 0.1.0 already');
});

test('nothing is no release', () => {
  const { text: cut } = cutChangelog(text, '0.2.0', '2026-02-03');
  expect(() => cutChangelog(cut, '0.3.0', '2026-02-04')).toThrow('nothing is new');
});

test('the first release has nothing below it', () => {
  const first = text.slice(0, text.indexOf('\n## 0.1.0'));
  expect(cutChangelog(first, '0.1.0', '2026-02-03').text).toContain('## 0.1.0 (2026-02-03)\n\n###');
});
