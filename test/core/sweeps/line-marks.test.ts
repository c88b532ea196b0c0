import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweepMarkBytes, sweepRecordBytesMax } from '../../../core/sweeps/limits.ts';
import { indexFile, parseFileIndex, partOf, readPart } from '../../../core/sweeps/line-marks.ts';
import type { SweepFormat } from '../../../core/sweeps/sweep.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function indexOf(bytes: Uint8Array, format: SweepFormat, pieceBytes = 7) {
  const indexer = indexFile(format);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    indexer.feed(bytes.subarray(at, at + pieceBytes));
  }
  return indexer.end();
}

function allOf(bytes: Uint8Array, format: SweepFormat, pieceBytes?: number) {
  const index = indexOf(bytes, format, pieceBytes);
  if (typeof index === 'string') return index;
  return Array.from({ length: index.chunks }, (_, chunk) => {
    const part = partOf(index, chunk);
    const read = readPart(index, part, bytes.subarray(part.from, part.to));
    expect(read).toHaveLength(part.chunks);
    return Object.fromEntries(read[chunk - part.firstChunk]!);
  });
}

test('a chunk for each line; empty ones are none', () => {
  const lines = [{ line: 'a b' }, { line: 'c,"d' }, { line: 'é' }];
  expect(allOf(bytesOf('\ufeffa b\r\n\nc,"d\né'), 'lines')).toEqual(lines);
  expect(allOf(bytesOf('a b\n\r\nc,"d\né\n'), 'lines')).toEqual(lines);
});

test('a chunk for each row, by the names of the header', () => {
  const text = 'lr,note\r\n0.1,plain\r\n0.01,"two\nlines, ""quoted"""\r\n,\r\n';
  expect(allOf(bytesOf(text), 'csv')).toEqual([
    { lr: '0.1', note: 'plain' },
    { lr: '0.01', note: 'two\nlines, "quoted"' },
    { lr: '', note: '' },
  ]);
});

test('a chunk for each object', () => {
  const text = '{"lr":0.1,"constructor":"x"}\n{"constructor":"y","lr":2}\n';
  expect(allOf(bytesOf(text), 'jsonl')).toEqual([
    { lr: 0.1, constructor: 'x' },
    { lr: 2, constructor: 'y' },
  ]);
});

const invalidUtf8 = Uint8Array.from([97, 10, 255, 10]);
const long = `${'x'.repeat(sweepRecordBytesMax + 1)}`;

test.each([
  ['nothing', bytesOf('\n\n'), 'lines', 'no line'],
  ['only a header', bytesOf('lr\n'), 'csv', 'no line'],
  ['bytes that are no text', invalidUtf8, 'lines', 'Line 2 is not UTF-8'],
  ['a line too long', bytesOf(`a\n${long}\nb`), 'lines', 'Line 2 has more than'],
  ['a column too many', bytesOf('a,b\n1,2,3\n'), 'csv', 'Line 2 has 3 columns'],
  ['a quote without end', bytesOf('a\n"b\nc\n'), 'csv', 'quote'],
  ['a bad name', bytesOf('learning rate\n1\n'), 'csv', 'learning rate'],
  ['two columns of one name', bytesOf('a,a\n1,2\n'), 'csv', 'twice'],
  ['no JSON', bytesOf('{"a":1}\n[1]\n'), 'jsonl', 'Line 2 is no JSON object'],
  ['a missing name', bytesOf('{"a":1}\n{"b":1}\n'), 'jsonl', 'Line 2 has no "a"'],
  ['a name more', bytesOf('{"a":1}\n{"a":1,"b":1}\n'), 'jsonl', 'more names'],
  ['a nested value', bytesOf('{"a":1}\n{"a":{}}\n'), 'jsonl', 'neither a text'],
  ['a name of the language', bytesOf('{"__proto__":1}\n'), 'jsonl', '__proto__'],
] as const)('refused with the line that is wrong: %s', (_name, bytes, format, words) => {
  expect(indexOf(bytes, format, bytes.length)).toContain(words);
  expect(indexOf(bytes, format, 3)).toContain(words);
});

test('whatever the pieces and the marks: what was written is what a chunk gets', () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é', ' ') });
  const rows = fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 30 });
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 40 }), (table, pieceBytes) => {
      const lines = table.map(([a, b]) => `${quoted(a)},${quoted(b)}`);
      const bytes = bytesOf(`a,b\n${lines.join('\n')}\n`);
      const wanted = table.map(([a, b]) => ({ a, b }));
      expect(allOf(bytes, 'csv', pieceBytes)).toEqual(wanted);
    }),
  );
});

test('a large file has few marks, and any chunk is one small read', () => {
  const lines = Array.from({ length: 50_000 }, (_, n) => `parameter ${n}`);
  const bytes = bytesOf(lines.join('\n'));
  const index = indexOf(bytes, 'lines', 100_000);
  if (typeof index === 'string') throw new Error(index);
  expect(index.chunks).toBe(50_000);
  expect(index.marks.length).toBeLessThan(bytes.length / sweepMarkBytes + 1);
  for (const chunk of [0, 1, 4_999, 25_000, 49_999]) {
    const part = partOf(index, chunk);
    expect(part.to - part.from).toBeLessThan(2 * sweepMarkBytes);
    const read = readPart(index, part, bytes.subarray(part.from, part.to));
    expect(read[chunk - part.firstChunk]!.get('line')).toBe(lines[chunk]);
  }
  expect(parseFileIndex(JSON.parse(JSON.stringify(index)), 'lines')).toEqual(index);
  expect(parseFileIndex({ ...index, names: ['a b'] }, 'lines')).toBeNull();
  expect(parseFileIndex(index, 'csv')).toBeNull();
});
