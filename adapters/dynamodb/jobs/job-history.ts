import type { JobHistory, StoredChunk } from '../../../core/ports/jobs.ts';
import { chunkKey, jobPartition } from '../keys.ts';
import { decodeEvent } from '../rows/rows-event.ts';
import { decodeChunkEnd } from '../rows/rows-job.ts';
import { jobRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';

/** What is kept of single chunks, and the timeline. */
export function createJobHistory(table: Table): JobHistory {
  return {
    async chunk(id, chunk) {
      const row = await table.get(chunkKey(id, chunk));
      return row === null ? null : decodeChunk(row);
    },

    async chunksOf(id, chunks) {
      const rows = await table.getMany(chunks.map((chunk) => chunkKey(id, chunk)));
      return new Map(rows.map(decodeChunk).map((stored) => [stored.chunk, stored]));
    },

    async keepOutput(id, chunk, key, bytes) {
      await table.update(chunkKey(id, chunk), { set: { outputKey: key, outputBytes: bytes } });
    },

    async events(id, position, limit) {
      const pk = jobPartition(id);
      const start = position === null ? {} : { after: { pk, sk: `${jobRows.event}${position}` } };
      const page = await table.query({ pk, skPrefix: jobRows.event, limit, ...start });
      return page.rows.map(decodeEvent);
    },
  };
}

function decodeChunk(row: Row): StoredChunk {
  const key = row.outputKey;
  return {
    chunk: Number(row.sk.slice(jobRows.chunk.length)),
    end: decodeChunkEnd(row),
    output: typeof key === 'string' ? { key, bytes: Number(row.outputBytes ?? 0) } : null,
  };
}
