import { expect, test } from 'vitest';
import { fillInputs, hasNamedDigest, inputsHaveNames } from '../../../core/sweeps/fill-inputs.ts';

const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
const valuesOf = (more: Record<string, string>) => {
  return { job: 'render', chunk: 7, parameters: new Map(Object.entries(more)) };
};

test('a path and a digest have names of the chunk, and everything else stays', () => {
  const inputs = [
    { path: 'tiles/{chunk}/{name}.tif', sha256: '{params.tile}', writable: true },
    { path: 'scene/', manifest: '{scene}' },
    { path: '{{plain}}', sha256: a },
  ];
  const values = valuesOf({ name: 'north', tile: a, scene: b });
  expect(fillInputs(inputs, values)).toEqual([
    { path: 'tiles/7/north.tif', sha256: a, writable: true },
    { path: 'scene/', manifest: b },
    { path: '{plain}', sha256: a },
  ]);
  expect(inputs.map(hasNamedDigest)).toEqual([true, true, false]);
  expect(inputsHaveNames(inputs.slice(2))).toBe(true);
  expect(inputsHaveNames([{ path: 'plain', sha256: a }])).toBe(false);
});

test.each([
  ['../north', 'a value makes a path that has a part ".."'],
  ['', 'a value makes a path that is empty'],
  ['/etc/passwd', 'a value makes a path that begins with a slash'],
  ['taken', 'values make "taken" and "taken", which cannot both be there'],
])('a value that makes no path is said: "%s"', (name, words) => {
  const inputs = [
    { path: '{name}', sha256: a },
    { path: 'taken', sha256: b },
  ];
  expect(fillInputs(inputs, valuesOf({ name }))).toBe(words);
});

test('a value that is no digest is said, and a value is not looked at for names', () => {
  const inputs = [{ path: 'tile', sha256: '{tile}' }];
  const words = 'the value of {tile} is no SHA-256';
  expect(fillInputs(inputs, valuesOf({ tile: 'north' }))).toBe(words);
  expect(fillInputs(inputs, valuesOf({ tile: '{other}', other: a }))).toBe(words);
});
