import type { Execution } from '../../core/contract/resources.ts';
import { countRanges } from './chunk-intervals.ts';
import { natural } from './fleet-summary.ts';
import { timeMs } from './words.ts';

/**
 * One page of the edges of a job, in the order that was asked for. Pure: a job may be on hundreds
 * of edges, and what is drawn of them is one screen.
 */
export type SplitRow = {
  readonly edge: string;
  readonly percent: number;
  readonly power: number;
  readonly ranges: string;
  readonly chunks: number;
  readonly done: number;
  readonly running: number;
  readonly failed: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
};

export const splitColumns = [
  ['edge', 'Edge'],
  ['percent', 'Progress'],
  ['chunks', 'Chunks'],
  ['done', 'Done'],
  ['running', 'Runs'],
  ['failed', 'Failed'],
  ['power', 'Power'],
  ['started', 'For'],
] as const;

export type SplitColumn = (typeof splitColumns)[number][0];
export type SplitOrder = { readonly column: SplitColumn; readonly isReversed: boolean };

export type SplitPage = {
  readonly rows: readonly SplitRow[];
  readonly total: number;
  readonly at: number;
  readonly pages: number;
};

/** `power` is the most power first, `-power` the least; names begin with the first. */
export function splitOrder(sort: string): SplitOrder {
  const isReversed = sort.startsWith('-');
  const wanted = isReversed ? sort.slice(1) : sort;
  const known = splitColumns.find(([column]) => column === wanted);
  return { column: known?.[0] ?? 'edge', isReversed: known !== undefined && isReversed };
}

/** Of amounts the most comes first, of names and times the first. */
export function directionOf({ column, isReversed }: SplitOrder): 'ascending' | 'descending' {
  const begins = column === 'edge' || column === 'started';
  return begins === isReversed ? 'descending' : 'ascending';
}

/** What a press on the head of a column asks for. */
export function nextSort({ column, isReversed }: SplitOrder, pressed: SplitColumn): string {
  if (pressed === column && !isReversed) return `-${pressed}`;
  return pressed === 'edge' ? '' : pressed;
}

export function splitPage(
  executions: readonly Execution[],
  order: SplitOrder,
  at: number,
  rowsMax: number,
): SplitPage {
  // An edge that gave all of its part back before it did anything has no part in the job.
  const rows = executions.filter(({ chunks }) => chunks !== '').map(rowOf);
  const sign = order.isReversed ? -1 : 1;
  rows.sort((a, b) => sign * compare(a, b, order.column) || natural(a.edge, b.edge));
  const pages = Math.max(1, Math.ceil(rows.length / rowsMax));
  const shown = Math.min(Math.max(0, at), pages - 1);
  const from = shown * rowsMax;
  return { rows: rows.slice(from, from + rowsMax), total: rows.length, at: shown, pages };
}

function rowOf(execution: Execution): SplitRow {
  const { edge, percent, power, chunks, startedAt, endedAt } = execution;
  return {
    ...{ edge, percent, power, startedAt, endedAt, ranges: chunks },
    chunks: countRanges(chunks),
    done: countRanges(execution.done),
    running: countRanges(execution.running),
    failed: countRanges(execution.dead),
  };
}

/** Much before little, and what began long ago before what began now. */
function compare(a: SplitRow, b: SplitRow, column: SplitColumn): number {
  if (column === 'edge') return natural(a.edge, b.edge);
  if (column === 'started') return startOf(a) - startOf(b);
  return b[column] - a[column];
}

const startOf = ({ startedAt }: SplitRow): number => timeMs(startedAt) ?? Number.MAX_SAFE_INTEGER;
