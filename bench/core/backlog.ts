import { decodeMap, encodeMap } from '../../adapters/dynamodb/attribute-values.ts';
import { collectParts } from '../../adapters/dynamodb/rows/cell-parts.ts';
import { assembleCell } from '../../adapters/dynamodb/rows/cell-rows.ts';
import { encodeMeta } from '../../adapters/dynamodb/rows/rows-cell.ts';
import { encodeEdge, encodeFacts } from '../../adapters/dynamodb/rows/rows-edge.ts';
import { encodeIntent, encodeSlice } from '../../adapters/dynamodb/rows/rows-slice.ts';
import type { Row } from '../../adapters/dynamodb/table.ts';
import { type Cell, type CellJob, newSlice } from '../../core/model/cell.ts';
import { cellIdOf } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { Figures } from '../run.ts';
import { edgeOf, jobOf, openCell } from './measured-cell.ts';
import { medianOf } from './timing.ts';

/**
 * What a pass pays for jobs that wait, in the function itself: reading their rows as a query
 * answers them, and deciding that they go on waiting. All of them wait for an edge that is not
 * there, and every status says so already.
 */
const edgesCount = 10;
const depths = [2_000, 10_000];
const passedAtMs = 1_000;
const reason = 'labels-do-not-match';

export function measureBacklog(): readonly Figures[] {
  return depths.flatMap((depth) => {
    const rows = rowsOf(waitingCell(depth));
    const answer = JSON.stringify(rows.map((row) => encodeMap(row)));
    const read = medianOf(() => readCell(answer), 11, 22);
    const decided = medianOf(() => reconcile(read.result, passedAtMs), 11, 22);
    if (read.result.jobs.size !== depth) throw new Error('not all of the jobs were read');
    return [
      { figure: `${depth} waiting jobs: reading their rows`, ms: read.ms },
      { figure: `${depth} waiting jobs: deciding about them`, ms: decided.ms, goal: 20 },
    ];
  });
}

function readCell(answer: string): Cell {
  const items = JSON.parse(answer) as Parameters<typeof decodeMap>[0][];
  return assembleCell(collectParts(items.map((item) => decodeMap(item) as Row)))!;
}

function waitingCell(depth: number): Cell {
  const edges = Array.from({ length: edgesCount }, (_, at) => edgeOf(at, 250));
  const jobs = Array.from({ length: depth }, (_, at) => waitingJob(at));
  return openCell(cellIdOf('default.0'), edges, jobs);
}

function waitingJob(index: number): CellJob {
  const run = { simulate: { seconds: 1 } };
  const ranges = rangeOf(0, 1);
  const job = jobOf(index, { queue: 'default', run, chunks: 1, chunkPower: 1, ranges });
  const requires = { labels: { site: 'nowhere' }, expressions: [], edges: [] };
  const spec = { ...job.intent.spec, requires };
  const seen = { reportedReasons: [reason], countedAs: 'pending', lastEventAtMs: 0 } as const;
  return {
    ...job,
    intent: { ...job.intent, spec, foldedByCell: true },
    slice: { ...newSlice(ranges), ...seen },
  };
}

function rowsOf({ meta, edges, jobs }: Cell): Row[] {
  const ofEdges = [...edges.values()].flatMap(({ name, config, facts }) => {
    return [encodeEdge(meta.id, name, config), encodeFacts(meta.id, name, facts!)];
  });
  const ofJobs = [...jobs.values()].flatMap(({ id, intent, slice }) => {
    return [encodeIntent(meta.id, id, intent, slice.ranges), encodeSlice(meta.id, id, slice)];
  });
  return [encodeMeta(meta), ...ofEdges, ...ofJobs];
}
