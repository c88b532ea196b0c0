import type { Chunk } from '../../core/contract/resources.ts';
import { formatAge, formatDurationMs, secondsSince } from '../input/duration.ts';
import { formatFields, type Table } from '../output/table.ts';

export function chunkTable(nowMs: number): Table<Chunk> {
  return {
    name: (chunk) => String(chunk.chunk),
    columns: [
      { title: 'CHUNK', of: (chunk) => chunk.chunk, right: true },
      { title: 'STATE', of: (chunk) => chunk.state, state: true },
      { title: '%', of: (chunk) => chunk.percent ?? '-', right: true, wide: true },
      { title: 'EDGE', of: (chunk) => chunk.edge ?? '-' },
      { title: 'ATTEMPTS', of: (chunk) => chunk.attempts, right: true },
      { title: 'EXIT', of: (chunk) => chunk.exitCode ?? '-', right: true },
      { title: 'REASON', of: (chunk) => chunk.reason ?? '-' },
      { title: 'PARAMS', of: (chunk) => paramsText(chunk) ?? '-', wide: true },
      { title: 'TOOK', of: tookText, by: tookSeconds, right: true, wide: true },
      {
        title: 'ENDED',
        of: (chunk) => formatAge(chunk.endedAt, nowMs),
        by: (chunk) => secondsSince(chunk.endedAt, nowMs),
        ...{ right: true, wide: true },
      },
    ],
  };
}

function paramsText({ params }: Chunk): string | null {
  if (params === undefined) return null;
  return Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function tookSeconds({ startedAt, endedAt }: Chunk): number | null {
  if (!startedAt || !endedAt) return null;
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
}

function tookText(chunk: Chunk): string {
  const seconds = tookSeconds(chunk);
  return seconds === null ? '-' : formatDurationMs(seconds * 1_000);
}

/** Of a chunk that was one of several nobody knows more than when its edge was at the job. */
function withinText({ startedAt, within }: Chunk): string | null {
  if (within === null || startedAt !== null) return null;
  return `${within.from} – ${within.to ?? 'now'}`;
}

export function describeChunk(chunk: Chunk): string {
  return formatFields([
    ['chunk', chunk.chunk],
    ['parameters', paramsText(chunk)],
    ['state', chunk.state],
    ['percent', chunk.percent],
    ['edge', chunk.edge],
    ['attempts', chunk.attempts],
    ['exit code', chunk.exitCode],
    ['reason', chunk.reason],
    ['started', chunk.startedAt],
    ['ended', chunk.endedAt],
    ['within', withinText(chunk)],
  ]);
}
