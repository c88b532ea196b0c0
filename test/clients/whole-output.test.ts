import { afterEach, expect, test } from 'vitest';
import { Edgewise } from '../../clients/typescript/edgewise.ts';
import { type KeptOutput, serveKeptOutput } from './kept-output.ts';

let kept: KeptOutput | null = null;
afterEach(() => kept?.close());

async function outputOf(outputMb: number | undefined, misses: number) {
  kept = await serveKeptOutput(outputMb, misses);
  const client = new Edgewise({ url: kept.url, token: 'some' });
  return { ...kept, output: Buffer.from(await client.output('job', 0)) };
}

test('an output that its job keeps whole comes whole, also when that follows its ends', async () => {
  const { output, whole, asked } = await outputOf(1, 1);
  expect(output.equals(whole)).toBe(true);
  expect(asked()).toBe(2);
});

test('of one that is not kept whole both ends come, and nothing is waited for', async () => {
  const { output, ends, asked } = await outputOf(undefined, 0);
  expect(output.equals(ends)).toBe(true);
  expect(asked()).toBe(0);
});
