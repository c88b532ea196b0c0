import { expect, test } from 'vitest';
import {
  isNewer,
  parseVersion,
  stampLockFile,
  stampManifest,
} from '../../../scripts/release/version.ts';

const versionOf = (text: string) => parseVersion(text)!;

test.each(['', '1', '1.2', 'v1.2.3', '1.2.3-', '01.2.3', '1.2.3+build', ' 1.2.3', '1.2.3\n'])(
  '"%s" is no version',
  (text) => {
    expect(parseVersion(text)).toBeNull();
  },
);

test('versions are in the order of semantic versioning', () => {
  const ordered = [
    '0.1.0-alpha',
    '0.1.0-alpha.1',
    '0.1.0-alpha.beta',
    '0.1.0-beta.2',
    '0.1.0-beta.11',
    '0.1.0-rc.1',
    '0.1.0',
    '0.1.1',
    '0.2.0',
    '0.10.0',
    '1.0.0',
  ];
  for (const [at, text] of ordered.entries()) {
    for (const [other, than] of ordered.entries()) {
      expect(isNewer(versionOf(text), versionOf(than)), `${text} > ${than}`).toBe(at > other);
    }
  }
});

test('a manifest keeps all but its version', () => {
  const text = `${JSON.stringify({ name: 'a', version: '0.1.0', bin: { a: 'b' } }, null, 2)}\n`;
  expect(stampManifest(text, '0.2.0')).toBe(text.replace('0.1.0', '0.2.0'));
});

test('a lock file has the version three times, and in no other package', () => {
  const packages = {
    '': { name: 'a', version: '0.1.0' },
    local: { name: 'b', version: '0.1.0' },
    'node_modules/c': { version: '0.1.0' },
  };
  const text = JSON.stringify({ name: 'a', version: '0.1.0', packages });
  const stamped = stampLockFile(text, '0.2.0');
  expect(stamped.match(/0\.2\.0/g)).toHaveLength(3);
  expect(JSON.parse(stamped).packages['node_modules/c'].version).toBe('0.1.0');
  expect(Object.keys(JSON.parse(stamped).packages)).toEqual(Object.keys(packages));
});
