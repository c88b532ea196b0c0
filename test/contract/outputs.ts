import { expect, test } from 'vitest';
import { jobIdOf } from '../../core/model/names.ts';
import type { ServicesContract } from './services.ts';

let made = 0;
const freshJob = () => jobIdOf(`output-job-${++made}`);
const bytes = (text: string) => Buffer.from(text, 'utf8');
const hexOf = (output: Uint8Array | null) => output && Buffer.from(output).toString('hex');

/** What every keeper of outputs promises. */
export const outputsContract: ServicesContract = (services) => {
  test('an output is read as it was put, each attempt apart', async () => {
    const { outputs } = services();
    const job = freshJob();
    const printed = ['first\n', 'zweiter Versuch: ä ✓', ''].map(bytes);
    printed.push(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
    const keys = [];
    for (const [at, output] of printed.entries()) {
      keys.push(await outputs.put(job, 3, at + 1, output));
    }
    expect(new Set(keys).size).toBe(printed.length);
    const read = await Promise.all(keys.map(outputs.get));
    expect(read.map(hexOf)).toEqual(printed.map(hexOf));
  });

  test('standard error of an attempt lies beside what else it printed', async () => {
    const { outputs } = services();
    const job = freshJob();
    const printed = await outputs.put(job, 3, 1, bytes('out'));
    const errors = await outputs.put(job, 3, 1, bytes('error'), 'stderr');
    const read = await Promise.all([printed, errors].map(outputs.get));
    expect(read.map(hexOf)).toEqual([hexOf(bytes('out')), hexOf(bytes('error'))]);
    await outputs.removeAll(job);
    expect(await outputs.get(errors)).toBeNull();
  });

  test('an attempt that puts its output again replaces it', async () => {
    const { outputs } = services();
    const job = freshJob();
    const keys = [await outputs.put(job, 0, 1, bytes('half'))];
    keys.push(await outputs.put(job, 0, 1, bytes('whole')));
    expect(keys[0]).toBe(keys[1]);
    expect(hexOf(await outputs.get(keys[0]!))).toBe(hexOf(bytes('whole')));
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
    expect(hexOf(await outputs.get(kept))).toBe(hexOf(bytes('kept')));
  });
};
