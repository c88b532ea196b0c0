import type { Chunk } from '../client/resources.ts';
import { formatAge, formatDurationMs } from '../input/duration.ts';
import { formatFields, type Table } from '../output/table.ts';

export function chunkTable(nowMs: number): Table<Chunk> {
  return {
    name: (chunk) => String(chunk.chunk),
    columns: [
      { title: 'CHUNK', of: (chunk) => chunk.chunk, right: true },
      { title: 'STATE', of: (chunk) => chunk.state, state: true },
      { title: 'EDGE', of: (chunk) => chunk.edge ?? '-' },
      { title: 'ATTEMPTS', of: (chunk) => chunk.attempts, right: true },
      { title: 'EXIT', of: (chunk) => chunk.exitCode ?? '-', right: true },
      { title: 'REASON', of: (chunk) => chunk.reason ?? '-' },
      { title: 'TOOK', of: tookText, right: true, wide: true },
      { title: 'ENDED', of: (chunk) => formatAge(chunk.endedAt, nowMs), right: true, wide: true },
    ],
  };
}

function tookText(chunk: Chunk): string {
  if (!chunk.startedAt || !chunk.endedAt) return '-';
  return formatDurationMs(Date.parse(chunk.endedAt) - Date.parse(chunk.startedAt));
}

export function describeChunk(chunk: Chunk): string {
  return formatFields([
    ['chunk', chunk.chunk],
    ['state', chunk.state],
    ['edge', chunk.edge],
    ['attempts', chunk.attempts],
    ['exit code', chunk.exitCode],
    ['reason', chunk.reason],
    ['started', chunk.startedAt],
    ['ended', chunk.endedAt],
  ]);
}
