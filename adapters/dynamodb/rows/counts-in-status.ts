import type { JobEvent } from '../../../core/model/job-event.ts';
import type { CellId } from '../../../core/model/names.ts';
import type { Execution, JobCellStatus, JobFold } from '../../../core/model/plan.ts';
import { emptyRanges } from '../../../core/model/ranges.ts';
import type { StoredEvent } from '../../../core/ports/jobs.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { eventKey, jobOfRow } from '../keys.ts';
import { jobRows } from '../schema.ts';
import type { Row } from '../table.ts';
import { json, time } from './row-values.ts';
import { decodeEvent } from './rows-event.ts';
import { encodeJobCell } from './rows-job.ts';
import { isText, isTime, isWhole, listOf, tupleOf } from './shapes.ts';

/**
 * What a cell that writes the status of a job by itself puts into that row instead of rows of their
 * own: the counts it comes from (`CELL#`), the lines of the timeline that come once (`EVENT#`), and
 * the end of the execution that was the last (`EXEC#`).
 * Readers of either kind ask here, too.
 */
export function foldedAttributes(
  cell: CellId,
  counted: JobCellStatus,
  { events, eventsIn }: Pick<JobFold, 'events' | 'eventsIn'>,
): Record<string, unknown> {
  const { pk: _, sk, counts, byCell: __, ...rest } = encodeJobCell(cell, counted);
  const inCell = JSON.stringify([sk, Object.values(counted.counts), rest]);
  if (eventsIn === 'rows' || events.length === 0) return { inCell };
  return { inCell, [eventsIn]: JSON.stringify(events.map(lineOf)) };
}

/**
 * All counts of the cells of a job: the rows, and those in its status. A row of that cell is newer,
 * because a pass writes one once others have a part in the status; but for one that an earlier
 * release wrote for a job that its cell had alone.
 */
export function withCountsIn(status: Row | null | undefined, rows: readonly Row[]): Row[] {
  const own = status == null ? null : countsIn(status);
  if (own === null) return [...rows];
  const other = rows.find(({ sk }) => sk === own.sk);
  if (other === undefined) return [...rows, own];
  const isOlder = other.byCell === true && (other.endedAtMs === undefined || 'endedAtMs' in own);
  return isOlder ? rows.map((row) => (row === other ? own : row)) : [...rows];
}

/** As the row would be; one that cannot be read reads as a row that cannot be. */
function countsIn(status: Row): Row | null {
  if (status.inCell === undefined) return null;
  const { pk } = status;
  try {
    const [sk, counts, rest] = json<Counted>(status.inCell, isCounted, ['', [], {}]);
    if (!sk.startsWith(jobRows.cell)) throw new Error('of no cell');
    const named = Object.fromEntries(countNames.map((name, at) => [name, counts[at]]));
    return { ...rest, counts: JSON.stringify(named), byCell: true, pk, sk };
  } catch {
    return { pk, sk: jobRows.cell, counts: 'unreadable' };
  }
}

type Counted = [sk: string, counts: number[], rest: Readonly<Record<string, unknown>>];

const isCounted = tupleOf(isText, listOf(isWhole), isRecord);

const countNames: readonly (keyof JobCellStatus['counts'])[] = [
  'total',
  'waiting',
  'pending',
  'scheduled',
  'running',
  'done',
  'dead',
  'cancelled',
];

type Line = [atMs: number, kind: string, by: string, detail: string];

const lineOf = ({ atMs, kind, by, detail }: JobEvent): Line => [atMs, kind, by, detail];

const areLines = listOf(tupleOf(isTime, isText, isText, isText));

/** The lines of the timeline that lie in a status. */
export function eventsIn(status: Row): StoredEvent[] {
  const job = jobOfRow(status);
  const lines = [status.began, status.ended].flatMap((it) => json<Line[]>(it, areLines, []));
  return lines.map(([atMs, kind, by, detail]) => {
    return decodeEvent({ ...eventKey(job, atMs, kind), kind, by, detail });
  });
}

/**
 * The last report of a job that is done says of an execution that all of it is done. This lies in
 * the status that is written with it; the execution's own row stays as it was before, and is read
 * with the status.
 */
export function closingAttributes({ edge, startedAtMs }: Execution): Record<string, unknown> {
  return { closes: JSON.stringify([edge, startedAtMs]) };
}

type Closing = [edge: string, startedAtMs: number];

const isClosing = tupleOf(isText, isTime);

/** The execution as it is, given the row of its job's status. */
export function closedIn(status: Row | null | undefined, execution: Execution): Execution {
  if (status?.closes === undefined || execution.endedAtMs !== null) return execution;
  if (status.state !== 'done') return execution;
  const [edge, startedAtMs] = json<Closing>(status.closes, isClosing, ['', 0]);
  if (edge !== execution.edge) return execution;
  const { percents: _, ready: __, ...rest } = execution;
  return {
    ...rest,
    done: execution.chunks,
    running: emptyRanges,
    slots: 0,
    startedAtMs,
    endedAtMs: time(status.endedAtMs),
  };
}
