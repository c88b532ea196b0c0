import { sweepRecordBytesMax } from './limits.ts';
import type { SweepFormat } from './sweep.ts';

/**
 * Cuts the bytes of a file into its records, one after another, in whatever pieces they come. Empty
 * lines are none. In CSV a line end in quotes does not end a record.
 */
export type RecordScanner = {
  /** Gives each record that ends in this piece, with the offset at which it begins. */
  feed(piece: Uint8Array): void;
  /** There is nothing more: the last record needs no line end. */
  end(): void;
};

export class TooLongRecord extends Error {}

const newline = 10;
const quote = 34;
const carriageReturn = 13;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** `offset`: of the first byte that is fed. */
export function scanRecords(
  format: SweepFormat,
  offset: number,
  found: (record: Uint8Array, at: number) => void,
): RecordScanner {
  let begun: Uint8Array = new Uint8Array();
  let beginsAt = offset;

  const give = (record: Uint8Array, at: number): void => {
    let from = 0;
    let to = record.length;
    if (at === 0 && byteOrderMark.every((byte, index) => record[index] === byte)) from = 3;
    if (to > from && record[to - 1] === carriageReturn) to -= 1;
    if (to > from) found(record.subarray(from, to), at + from);
  };

  return {
    feed(piece) {
      const bytes = begun.length === 0 ? piece : joined(begun, piece);
      const endOf = (at: number): number =>
        format === 'csv' ? recordEnd(bytes, at) : bytes.indexOf(newline, at);
      let from = 0;
      for (let end = endOf(0); end !== -1; end = endOf(from)) {
        if (end - from > sweepRecordBytesMax) throw new TooLongRecord();
        give(bytes.subarray(from, end), beginsAt + from);
        from = end + 1;
      }
      if (bytes.length - from > sweepRecordBytesMax) throw new TooLongRecord();
      begun = bytes.slice(from);
      beginsAt += from;
    },
    end() {
      give(begun, beginsAt);
      begun = new Uint8Array();
    },
  };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

/** The first line end outside of quotes, or -1. */
function recordEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at <= bytes.length; ) {
    const end = bytes.indexOf(newline, at);
    const opening = indexBefore(bytes, quote, at, end === -1 ? bytes.length : end);
    if (opening === -1) return end;
    const closing = bytes.indexOf(quote, opening + 1);
    if (closing === -1) return -1;
    at = closing + 1;
  }
  return -1;
}

function indexBefore(bytes: Uint8Array, value: number, from: number, to: number): number {
  for (let at = from; at < to; at++) if (bytes[at] === value) return at;
  return -1;
}
