import { expect, test } from 'vitest';
import { jobIdOf } from '../../core/model/names.ts';
import type { ServicesContract } from './services.ts';

let made = 0;
const freshJob = () => jobIdOf(`output-job-${++made}`);
const bytes = (text: string) => Buffer.from(text, 'utf8');

/** What every keeper of outputs promises. */
export const outputsContract: ServicesContract = (services) => {
  test('an output is read as it was put, each attempt apart', async () => {
    const { outputs } = services();
    const job = freshJob();
    const texts = ['first\n', 'zweiter Versuch: ä ✓', ''];
    const keys = [];
    for (const [at, text] of texts.entries()) {
      keys.push(await outputs.put(job, 3, at + 1, bytes(text)));
    }
    expect(new Set(keys).size).toBe(3);
    expect(await Promise.all(keys.map(outputs.get))).toEqual(texts);
  });

  test('an attempt that puts its output again replaces it', async () => {
    const { outputs } = services();
    const job = freshJob();
    const keys = [await outputs.put(job, 0, 1, bytes('half'))];
    keys.push(await outputs.put(job, 0, 1, bytes('whole')));
    expect(keys[0]).toBe(keys[1]);
    expect(await outputs.get(keys[0]!)).toBe('whole');
  });

  test('with a job go its outputs and no others', async () => {
    const { outputs } = services();
    const job = freshJob();
    const longer = jobIdOf(`${job}-b`);
    const gone = await Promise.all(
      [0, 1, 2].map((chunk) => outputs.put(job, chunk, 1, bytes('x'))),
    );
    const kept = await outputs.put(longer, 0, 1, bytes('kept'));
    for (let time = 1; time <= 2; time++) await outputs.removeAll(job);
    expect(await Promise.all(gone.map(outputs.get))).toEqual([null, null, null]);
    expect(await outputs.get(kept)).toBe('kept');
  });
};
