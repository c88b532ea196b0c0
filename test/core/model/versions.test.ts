import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions, isVersion } from '../../../core/model/versions.ts';

test('versions compare as versions', () => {
  const rising = [
    '0.9',
    '0.10-rc1',
    '0.10',
    '1.0-alpha',
    '1.0-beta2',
    '1.0.1',
    '1.2',
    '1.10',
    'v2',
  ];
  for (let i = 1; i < rising.length; i++) {
    expect(compareVersions(rising[i - 1]!, rising[i]!), `${rising[i - 1]} < ${rising[i]}`).toBe(-1);
    expect(compareVersions(rising[i]!, rising[i - 1]!)).toBe(1);
  }
  expect(compareVersions('1.0', '1')).toBe(0);
  expect(compareVersions('v1.0', '1.0')).toBe(0);
  const version = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(version, version, (a, b) => {
      const [x, y] = [a.join('.'), b.join('.')];
      expect(compareVersions(x, y) + compareVersions(y, x)).toBe(0);
    }),
  );
});

test.each(['abc', '', ' 1', 'vx', '-1', 'latest', 'constructor'])('"%s" is no version', (text) => {
  expect(isVersion(text)).toBe(false);
});

test.each(['0', '5.10', 'v2', '1.0-rc1', '22.04.1 LTS'])('%s is one', (text) => {
  expect(isVersion(text)).toBe(true);
});
