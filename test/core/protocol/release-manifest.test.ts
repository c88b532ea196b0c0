import { expect, test } from 'vitest';
import { parseReleaseManifest, releaseText } from '../../../core/protocol/release-manifest.ts';

const sha256 = 'ab'.repeat(32);
const good = {
  version: '1.2.0',
  madeAt: '2026-01-01T00:00:00.000Z',
  programs: { 'edgewise-agent-linux-x64': { bytes: 5, sha256 } },
  signature: { key: 'k', value: 'v' },
};

test('what a signature is over has every field, in one order', () => {
  const other = { bytes: 7, sha256: 'cd'.repeat(32) };
  const programs = { 'edgewise-linux-x64': other, ...good.programs };
  expect(releaseText(parseReleaseManifest({ ...good, programs })!)).toBe(
    'edgewise-release-1\n1.2.0\n2026-01-01T00:00:00.000Z\n' +
      `edgewise-agent-linux-x64 5 ${sha256}\nedgewise-linux-x64 7 ${other.sha256}\n`,
  );
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a list', []],
  ['a version of another form', { ...good, version: '1.2\nx 1' }],
  ['a moment of another form', { ...good, madeAt: 'today' }],
  ['no signature', { ...good, signature: undefined }],
  ['a signature of another form', { ...good, signature: { key: 1, value: 2 } }],
  ['a name with a line in it', { ...good, programs: { 'a\nb': { bytes: 1, sha256 } } }],
  ['a name that leads away', { ...good, programs: { '../x': { bytes: 1, sha256 } } }],
  ['no size', { ...good, programs: { a: { sha256 } } }],
  ['no bytes', { ...good, programs: { a: { bytes: 0, sha256 } } }],
  ['more bytes than a number counts', { ...good, programs: { a: { bytes: 2 ** 60, sha256 } } }],
  ['a sum of another form', { ...good, programs: { a: { bytes: 1, sha256: 'AB' } } }],
  [
    'too many programs',
    {
      ...good,
      programs: Object.fromEntries(
        Array.from({ length: 33 }, (_, at) => [`p${at}`, { bytes: 1, sha256 }]),
      ),
    },
  ],
])('no manifest: %s', (_, value) => {
  expect(parseReleaseManifest(value)).toBeNull();
});

test('names that every object answers for are names', () => {
  const text = JSON.stringify({ ...good, programs: {} }).replace(
    '"programs":{}',
    `"programs":{"constructor":{"bytes":1,"sha256":"${sha256}"}}`,
  );
  const { programs } = parseReleaseManifest(JSON.parse(text))!;
  expect([...programs.keys()]).toEqual(['constructor']);
});
