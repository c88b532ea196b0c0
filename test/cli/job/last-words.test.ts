import { expect, test } from 'vitest';
import { lastLineOf, readLastWords } from '../../../cli/job/last-words.ts';
import { lastWordsJobsMax } from '../../../cli/limits.ts';
import type { Job } from '../../../core/contract/resources.ts';

const jobOf = (id: string, done: number, dead: number) =>
  ({ id, status: { chunks: { done, dead } } }) as unknown as Job;

/** An API that knows how chunks ended, and what they printed. */
function played(chunks: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const get = async (path: string, query: { state: string }) => {
    const found = chunks[`${path.split('/')[3]} ${query.state}`];
    asked.push(path);
    return { items: found === undefined ? [] : [found], nextCursor: null };
  };
  const bytes = async () => Buffer.from('working\nno space left on device sda1\n');
  return { api: { get, bytes } as never, asked };
}

test.each([
  ['one\ntwo\n\n', 'two'],
  ['10 %\r50 %\r100 %', '100 %'],
  ['no space left on device sda1', 'no space left on dev'],
  ['größer als erlaubt, größer', 'größer als erlaubt, '],
  ['👩‍🚀'.repeat(30), '👩‍🚀'.repeat(20)],
  [' \n', null],
])('the last line of %j', (text, line) => {
  expect(lastLineOf(text)).toBe(line);
});

test('a job ends as its first failed chunk did, or as its first', async () => {
  const { api } = played({
    'failed dead': { chunk: 3, exitCode: 28, output: 'https://api.example.com/…' },
    'done done': { chunk: 0, exitCode: 0 },
  });
  const jobs = [jobOf('failed', 2, 1), jobOf('done', 3, 0), jobOf('runs', 0, 0), jobOf('x', 1, 0)];
  expect([...(await readLastWords(api, jobs))].toSorted()).toEqual([
    ['done', { exitCode: 0, line: null }],
    ['failed', { exitCode: 28, line: 'no space left on dev' }],
  ]);
});

test('a long list reads those of its first screen', async () => {
  const { api, asked } = played({});
  await readLastWords(
    api,
    Array.from({ length: lastWordsJobsMax * 2 }, (_, at) => jobOf(`job-${at}`, 1, 0)),
  );
  expect(asked).toHaveLength(lastWordsJobsMax);
});
