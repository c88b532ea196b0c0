import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTextTail, textTail } from '../../../edge-agent/disk/text-tail.ts';
import { anyText } from '../../any-text.ts';
import { makeDirectory } from '../agent-runner.ts';

let directory: { path: string; remove: () => void };
beforeEach(() => {
  directory = makeDirectory();
});
afterEach(() => directory.remove());

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

test('the tail of a text is a text: its end, without the rest of a character', () => {
  const texts = anyText(12);
  fc.assert(
    fc.property(texts, fc.nat(50), (text, bytesMax) => {
      const bytes = Buffer.from(text);
      const tail = textTail(bytes, bytesMax);
      expect(strict.decode(bytes).endsWith(strict.decode(tail))).toBe(true);
      expect(tail.length).toBeGreaterThan(Math.min(bytes.length, bytesMax) - 4);
      expect(tail.length).toBeLessThanOrEqual(bytesMax);
    }),
  );
});

test('bytes that are no text are kept as they are', () => {
  const continuations = Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80);
  expect(textTail(continuations, 4)).toEqual(continuations.subarray(2));
  const cutShort = Uint8Array.of(0x41, 0xe2, 0x82, 0x41, 0x42);
  expect(textTail(cutShort, 3)).toEqual(cutShort.subarray(2));
  const neverBegan = Uint8Array.of(0xff, 0x82, 0xac, 0x41);
  expect(textTail(neverBegan, 3)).toEqual(neverBegan.subarray(1));
});

test('of a file it is the same, byte for byte', () => {
  const file = join(directory.path, 'output');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(80), (bytes, bytesMax) => {
      writeFileSync(file, bytes);
      const fd = openSync(file, 'r');
      const tail = readTextTail(fd, bytes.length, bytesMax);
      closeSync(fd);
      expect([...tail]).toEqual([...textTail(bytes, bytesMax)]);
    }),
    { numRuns: 50 },
  );
});
