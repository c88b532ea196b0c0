import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { readProgressLines } from '../../../edge-agent/report/progress-lines.ts';

const name = { edge: 'edge-1', job: jobIdOf('job'), chunk: 0, attempt: 1 };

/** A chunk that prints, and of whose output the earlier part is cut; parts are short. */
function stage(partBytes = 64) {
  let printed = '';
  let cut = 0;
  let looks = 0;
  const lines = readProgressLines(async (_name, wanted) => {
    looks += 1;
    const from = Math.max(cut, wanted);
    const bytes = Buffer.from(printed.slice(from, from + partBytes), 'latin1');
    return { from, total: printed.length, bytes };
  });
  return {
    lines,
    print(text: string): void {
      printed += text;
    },
    cutAll(): void {
      cut = printed.length - 5;
    },
    async percent(): Promise<number | null> {
      looks = 0;
      await lines.read([name]);
      return lines.percentOf(name);
    },
    looks: () => looks,
  };
}

test.each([
  ['a line', 'EDGEWISE_PROGRESS 50\n', 50],
  ['a fraction, and a line of another system', 'EDGEWISE_PROGRESS 12.5\r\n', 12.5],
  ['the last of several', 'EDGEWISE_PROGRESS 10\nnoise\nEDGEWISE_PROGRESS 20\n', 20],
  ['as an assignment', 'EDGEWISE_PROGRESS=7\n', 7],
  ['a line that has not ended', 'EDGEWISE_PROGRESS 5', null],
  ['in the middle of a line', 'see EDGEWISE_PROGRESS 50\n', null],
  ['more on the line', 'EDGEWISE_PROGRESS 50 files\n', null],
  ['no number', 'EDGEWISE_PROGRESS many\n', null],
  ['a number below zero', 'EDGEWISE_PROGRESS -5\n', null],
  ['bytes that are no text', '\xff\x00\nEDGEWISE_PROGRESS 3\n\xfe', 3],
])('%s', async (_what, text, percent) => {
  const { print, percent: read } = stage();
  print(text);
  expect(await read()).toBe(percent);
});

test('a line that comes in two halves is read once it is whole', async () => {
  const { print, percent } = stage();
  print('EDGEWISE_PROGRESS 1\nEDGEWISE_PROG');
  expect(await percent()).toBe(1);
  print('RESS 2\n');
  expect(await percent()).toBe(2);
});

test('of what prints faster than it is read the end is read, in two looks', async () => {
  const { print, percent, looks } = stage();
  print('noise\n'.repeat(1_000));
  print('EDGEWISE_PROGRESS 77\n');
  expect(await percent()).toBe(77);
  expect(looks()).toBe(2);
  print('EDGEWISE_PROGRESS 78\n');
  expect(await percent()).toBe(78);
});

test('where the output was cut a line that began before the cut is none', async () => {
  const { print, percent, cutAll } = stage();
  print('EDGEWISE_PROGRESS 1\n');
  expect(await percent()).toBe(1);
  print('more and more\nEDGEWISE_PROGRESS 99\n');
  cutAll();
  expect(await percent()).toBe(1);
});

test('a line without an end costs no more than one part each time', async () => {
  const { print, percent, looks } = stage(512);
  print('x'.repeat(10_000));
  expect(await percent()).toBeNull();
  print('\nEDGEWISE_PROGRESS 4\n');
  expect(await percent()).toBe(4);
  expect(looks()).toBeLessThanOrEqual(2);
});

test('chunks that run no longer are forgotten', async () => {
  const { print, percent, lines } = stage();
  print('EDGEWISE_PROGRESS 4\n');
  expect(await percent()).toBe(4);
  await lines.read([]);
  expect(lines.percentOf(name)).toBeNull();
});
