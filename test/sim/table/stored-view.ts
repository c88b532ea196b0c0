import { shelfPartition } from '../../../adapters/dynamodb/fleet/shelf-keys.ts';
import { cellOfPartition, cellPartition, jobPartition } from '../../../adapters/dynamodb/keys.ts';
import { collectParts } from '../../../adapters/dynamodb/rows/cell-parts.ts';
import { assembleCell } from '../../../adapters/dynamodb/rows/cell-rows.ts';
import { closedIn, withCountsIn } from '../../../adapters/dynamodb/rows/counts-in-status.ts';
import {
  decodeChunkEnd,
  decodeExecution,
  decodeJobCell,
  decodeStatus,
} from '../../../adapters/dynamodb/rows/rows-job.ts';
import { decodeShelved } from '../../../adapters/dynamodb/rows/rows-shelf.ts';
import { decodeSpec } from '../../../adapters/dynamodb/rows/rows-spec.ts';
import { jobRows, partitions } from '../../../adapters/dynamodb/schema.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';
import type { Cell } from '../../../core/model/cell.ts';
import type { JobStatus } from '../../../core/model/job-status.ts';
import { type CellId, cellIdOf, type EdgeName, type JobId } from '../../../core/model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../../../core/model/plan.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { SimulatedTable } from './simulated-table.ts';

/** What is stored, as the checks of the simulation read it: at once, and without any trouble. */
export type StoredView = {
  readonly cells: ReadonlyMap<CellId, Cell>;
  readonly jobs: ReadonlyMap<JobId, JobView>;
};

export type JobView = {
  readonly job: StoredJob | null;
  readonly status: JobStatus | null;
  readonly cells: ReadonlyMap<CellId, JobCellStatus>;
  readonly executions: ReadonlyMap<EdgeName, Execution>;
  readonly ends: ReadonlyMap<number, ChunkEnd>;
};

/** Each partition is read once for as long as it stays the same, and so is the whole. */
export function createStoredView(table: SimulatedTable): StoredView {
  const seen = new WeakMap<object, unknown>();
  const read = <T>(pk: string, decode: (rows: readonly Row[]) => T): T => {
    const partition = table.partition(pk);
    if (!seen.has(partition)) seen.set(partition, decode(table.query({ pk })));
    return seen.get(partition) as T;
  };
  const readCells = () => {
    const ids = table.partitionsOf(partitions.cell).flatMap((pk) => cellOfPartition(pk) ?? []);
    const cells = ids.map((id) => {
      const cell = read(cellPartition(id), (rows) => assembleCell(collectParts(rows)))!;
      const shelved = read(shelfPartition(id), (rows) => rows.map((row) => decodeShelved(row)));
      if (shelved.length === 0) return cell;
      return {
        ...cell,
        jobs: new Map([...cell.jobs, ...shelved.map((job) => [job.id, job] as const)]),
      };
    });
    return new Map(cells.map((cell) => [cell.meta.id, cell]));
  };
  const readJobs = () => {
    const found = table.partitionsOf(partitions.job).map((pk) => read(pk, jobViewOf));
    return new Map(found.flatMap((view) => (view.job === null ? [] : [[view.job.id, view]])));
  };
  const cells = whileTheSame(table, readCells);
  const jobs = whileTheSame(table, readJobs);
  return {
    get cells() {
      return cells();
    },
    get jobs() {
      return jobs();
    },
  };
}

function whileTheSame<T>(table: SimulatedTable, read: () => T): () => T {
  let known: { readonly contents: object; readonly value: T } | null = null;
  return () => {
    if (known?.contents !== table.contents) known = { contents: table.contents, value: read() };
    return known.value;
  };
}

/** The job as it is stored now; for whoever asks often, and of one. */
export function jobIn(table: SimulatedTable, id: JobId): StoredJob | null {
  const row = table.get({ pk: jobPartition(id), sk: jobRows.spec });
  return row === null ? null : decodeSpec(row);
}

function jobViewOf(rows: readonly Row[]): JobView {
  const of = (kind: string) => rows.filter(({ sk }) => sk.startsWith(kind));
  const [spec] = of(jobRows.spec);
  const [status] = of(jobRows.status);
  return {
    job: spec === undefined ? null : decodeSpec(spec),
    status: status === undefined ? null : decodeStatus(status),
    cells: new Map(
      withCountsIn(status, of(jobRows.cell)).map((row) => [
        cellIdOf(row.sk.slice(jobRows.cell.length)),
        decodeJobCell(row),
      ]),
    ),
    executions: new Map(
      of(jobRows.execution)
        .map((row) => closedIn(status, decodeExecution(row)))
        .map((row) => [row.edge, row]),
    ),
    ends: new Map(
      of(jobRows.chunk)
        .flatMap((row) => decodeChunkEnd(row) ?? [])
        .map((end) => [end.chunk, end]),
    ),
  };
}
