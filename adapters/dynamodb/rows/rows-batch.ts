import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { batchPartBytesMax } from '../../limits.ts';
import type { Key } from '../keys.ts';
import type { Row, Write } from '../table.ts';
import { json, text, time } from './row-values.ts';
import { isText, listOf, optional, recordOf, type Shape } from './shapes.ts';

/**
 * Rows that are accepted and not stored yet. They are much alike, and a row is priced by its
 * length, so they are packed.
 */
export function encodeBatchPart({ pk, sk }: Key, atMs: number, writes: readonly Write[]): Row {
  const packed = brotliCompressSync(JSON.stringify(writes), packing).toString('base64');
  return { pk, sk, atMs, writes: packed };
}

export function decodeBatchPart(row: Row): {
  readonly atMs: number;
  readonly writes: readonly Write[];
} {
  const packed = Buffer.from(text(row.writes), 'base64');
  const bound = { maxOutputLength: batchPartBytesMax };
  const unpacked = brotliDecompressSync(packed, bound).toString('utf8');
  return { atMs: time(row.atMs), writes: json<Write[]>(unpacked, isWrites, []) };
}

/** A window of 4 MB: the spec of a job is in several of its rows. */
const packing = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 22,
  },
};

const isKey: Shape = recordOf({ pk: isText, sk: isText });
const isKind: Shape = (value) => value === 'put' || value === 'update';
const isWrites: Shape = listOf(
  recordOf({ kind: isKind, row: optional(isKey), key: optional(isKey) }),
);
