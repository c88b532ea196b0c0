import type { ChunkResult, JobHistory, KeptOutput, StoredChunk } from '../../../core/ports/jobs.ts';
import type { OutputStream } from '../../../core/ports/outputs.ts';
import { chunkKey, jobPartition, statusKey } from '../keys.ts';
import { eventsIn } from '../rows/counts-in-status.ts';
import { flag, textOrNull, whole } from '../rows/row-values.ts';
import { decodeEvent, unreadableEvent } from '../rows/rows-event.ts';
import { decodeChunkEnd } from '../rows/rows-job.ts';
import { readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import { jobRows } from '../schema.ts';
import { decodeGeneration } from '../services/generation-row.ts';
import type { Row, Table } from '../table.ts';

/** What is kept of single chunks, and the timeline. */
export function createJobHistory(table: Table): JobHistory {
  return {
    async chunk(id, chunk) {
      const row = await table.get(chunkKey(id, chunk));
      return row === null ? null : decodeChunk(table, row);
    },

    async chunksOf(id, chunks) {
      const rows = await table.getMany(chunks.map((chunk) => chunkKey(id, chunk)));
      const stored = rows.map((row) => decodeChunk(table, row));
      return new Map(stored.map((it) => [it.chunk, it]));
    },

    async keepOutput(id, chunk, output, stream = 'stdout') {
      await table.update(chunkKey(id, chunk), { set: encodeOutput(output, stream) });
    },

    async keepResult(id, chunk, { manifest, files, bytes, isDone }) {
      const set = { resultList: manifest, resultFiles: files, resultBytes: bytes };
      const expression = 'attribute_not_exists(#resultDone) OR #resultDone = :no';
      await table.update(
        chunkKey(id, chunk),
        { set: { ...set, resultDone: isDone } },
        { expression, values: { no: false } },
      );
    },

    async results(id, after, limit) {
      const start = after === null ? {} : { after: chunkKey(id, after) };
      const wanted = { pk: jobPartition(id), skPrefix: jobRows.chunk, limit, ...start };
      const { rows, next } = await table.query(wanted);
      const items = rows.flatMap((row) => {
        const { chunk, result } = decodeChunk(table, row);
        return result === undefined ? [] : [{ chunk, result }];
      });
      return { items, next: next === null ? null : numberOf(String(next.sk)) };
    },

    async generations(id) {
      const rows = await table.queryAll({ pk: jobPartition(id), skPrefix: jobRows.generation });
      return readableRows(table, rows, decodeGeneration).toReversed();
    },

    async events(id, position, limit) {
      const pk = jobPartition(id);
      const start = position === null ? {} : { after: { pk, sk: `${jobRows.event}${position}` } };
      const [page, status] = await Promise.all([
        table.query({ pk, skPrefix: jobRows.event, limit, ...start }),
        table.get(statusKey(id)),
      ]);
      const found = page.rows.map(
        (row) => readableOrReported(table, row, decodeEvent) ?? unreadableEvent(row),
      );
      const own = status === null ? [] : (readableOrReported(table, status, eventsIn) ?? []);
      const later = own.filter((it) => position === null || it.position > position);
      return [...found, ...later]
        .sort((a, b) => (a.position < b.position ? -1 : 1))
        .slice(0, limit);
    },
  };
}

function decodeChunk(table: Table, row: Row): StoredChunk {
  const chunk = numberOf(row.sk);
  const read = readableOrReported(table, row, (it) => {
    const output = decodeOutput(it, 'stdout');
    const errors = decodeOutput(it, 'stderr');
    const result = decodeResult(it);
    return {
      chunk,
      end: decodeChunkEnd(it),
      output,
      ...(errors === null ? {} : { errors }),
      ...(result === null ? {} : { result }),
    };
  });
  return read ?? { chunk, end: null, output: null };
}

const attributeOf = { stdout: 'output', stderr: 'errors' } as const;

function encodeOutput(
  { key, bytes, totalBytes = bytes, headBytes = 0, whole }: KeptOutput,
  stream: OutputStream,
): Readonly<Record<string, string | number>> {
  const of = attributeOf[stream];
  const sizes = { [`${of}Bytes`]: bytes, [`${of}Total`]: totalBytes, [`${of}Head`]: headBytes };
  // Said of this attempt: what a later one leaves has another key.
  const all = whole === undefined ? {} : { [`${of}Whole`]: `${whole} ${key}` };
  return { [`${of}Key`]: key, ...sizes, ...all };
}

function decodeOutput(row: Row, stream: OutputStream): KeptOutput | null {
  const of = attributeOf[stream];
  const key = textOrNull(row[`${of}Key`]);
  if (key === null) return null;
  const bytes = whole(row[`${of}Bytes`]);
  const totalBytes = whole(row[`${of}Total`], bytes);
  const headBytes = whole(row[`${of}Head`], 0);
  const [digest, ofKey] = (textOrNull(row[`${of}Whole`]) ?? '').split(' ', 2);
  const all = digest !== undefined && ofKey === key ? { whole: digest } : {};
  return { key, bytes, totalBytes, headBytes, ...all };
}

const numberOf = (sk: string): number => Number(sk.slice(jobRows.chunk.length));

function decodeResult(row: Row): ChunkResult | null {
  const manifest = textOrNull(row.resultList);
  if (manifest === null) return null;
  const [files, bytes] = [whole(row.resultFiles), whole(row.resultBytes)];
  return { manifest, files, bytes, isDone: flag(row.resultDone) };
}
