import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputHeadBytesMax, outputTailBytesMax } from '../../../core/model/limits.ts';
import { keptTextOf } from '../../../edge-agent/disk/kept-text.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

test('what fits is kept whole', () => {
  const whole = Buffer.alloc(outputTailBytesMax, 'x');
  const kept = keptTextOf({ output: whole, printedBytes: whole.length });
  expect(kept).toEqual({ bytes: whole, head: 0, total: whole.length });
  expect(keptTextOf({ output: null })).toBeNull();
});

test('of more the beginning and the end are kept, in as much room', () => {
  // One, two and three bytes a character, so that cuts go through some of them.
  const words = fc.constantFrom('a', 'ü', '€', '\n');
  const texts = fc.array(words, { minLength: 20, maxLength: 60 }).map((all) => all.join(''));
  const longer = fc.integer({ min: outputTailBytesMax + 1, max: 6 * outputTailBytesMax });
  fc.assert(
    fc.property(texts, longer, fc.boolean(), (text, bytes, isFollowed) => {
      const all = Buffer.from(text.repeat(Math.ceil(bytes / Buffer.byteLength(text))));
      const output = isFollowed ? all : all.subarray(-outputTailBytesMax);
      const head = isFollowed ? null : all.subarray(0, outputHeadBytesMax);
      const kept = keptTextOf({ output, head, printedBytes: all.length })!;
      const [begin, end] = [kept.bytes.subarray(0, kept.head), kept.bytes.subarray(kept.head)];
      expect(all.subarray(0, begin.length).equals(begin)).toBe(true);
      expect(all.subarray(-end.length).equals(end)).toBe(true);
      expect(kept.bytes.length).toBeLessThanOrEqual(outputTailBytesMax);
      expect(kept.bytes.length).toBeGreaterThan(outputTailBytesMax - 8);
      expect(kept.total).toBe(all.length);
      expect(() => strict.decode(begin)).not.toThrow();
      if (isFollowed) expect(() => strict.decode(end)).not.toThrow();
    }),
  );
});

test('of what nobody knows the beginning the end is kept', () => {
  const kept = keptTextOf({ output: Buffer.from('end'), printedBytes: 9_000_000 });
  expect(kept).toEqual({ bytes: Buffer.from('end'), head: 0, total: 9_000_000 });
});
