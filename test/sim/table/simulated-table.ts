import { isDeepStrictEqual } from 'node:util';
import { decodeMap, encodeMap } from '../../../adapters/dynamodb/attribute-values.ts';
import type { Key } from '../../../adapters/dynamodb/keys.ts';
import { cellRows, jobRows, listIndex } from '../../../adapters/dynamodb/schema.ts';
import type {
  Change,
  Condition,
  QueryRequest,
  Row,
  Table,
  Write,
} from '../../../adapters/dynamodb/table.ts';
import type { TransactOutcome } from '../../../adapters/dynamodb/transaction-outcome.ts';
import { transactRowsMax } from '../../../core/model/limits.ts';
import { holds } from './conditions.ts';

/**
 * The table in memory, with what DynamoDB promises of the operations that the stores use: rows as
 * attribute values, conditions, transactions that are carried out whole or tell which of their
 * conditions failed, and a record of every change for the stream. The stores on it are the shipped
 * ones. Each operation is over when it returns; what takes time and fails is put around it.
 */
export type ChangeRecord = Key & {
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** As it is then; `null` when it went. */
  readonly row: Row | null;
};

/** Everything that is stored; never changed in place, so a copy of it is a backup. */
export type Backup = ReadonlyMap<string, ReadonlyMap<string, Row>>;

/** A row as it is about to be written, or is read: for rows that other releases write. */
export type RowChange = (row: Row) => Row;

/** A write as it is asked for, with its condition. */
export type WriteChange = (write: Write) => Write;

export type OutcomeChange = (outcome: TransactOutcome) => TransactOutcome;

export class SimulatedTable {
  #partitions: Map<string, ReadonlyMap<string, Row>> = new Map();
  #contents = {};
  readonly #listen: (record: ChangeRecord) => void;
  /** How deep a backlog is before a pass reads no more of it; as shipped where it is not said. */
  readonly shelf: { shelfHeads?: number } = {};
  /** What becomes of a write before its condition is looked at. */
  onAsk: WriteChange = (write) => write;
  /** What becomes of a row on its way into the table. */
  onWrite: RowChange = (row) => row;
  /** What a store hears of a transaction. */
  onOutcome: OutcomeChange = (outcome) => outcome;
  /** Whether a commit meets another transaction on its rows right now. */
  isContended: () => boolean = () => false;

  constructor(listen: (record: ChangeRecord) => void) {
    this.#listen = listen;
  }

  /** All that is stored: another object after each change of anything, and only then. */
  get contents(): object {
    return this.#contents;
  }

  /** A partition is another object after each change of it. */
  partition(pk: string): ReadonlyMap<string, Row> {
    return this.#partitions.get(pk) ?? noRows;
  }

  partitionsOf(prefix: string): string[] {
    return [...this.#partitions.keys()].filter((pk) => pk.startsWith(prefix));
  }

  backUp(): Backup {
    return new Map(this.#partitions);
  }

  /** A restored table is a new one, which has no stream of how it came about. */
  restore(backup: Backup): void {
    this.#partitions = new Map(backup);
    this.#contents = {};
  }

  get(key: Key): Row | null {
    return this.partition(key.pk).get(key.sk) ?? null;
  }

  query(request: QueryRequest): Row[] {
    const { pk, skPrefix = '', index, backwards = false, after } = request;
    const sort = index === undefined ? 'sk' : listIndex.sort;
    const rows = index === undefined ? [...this.partition(pk).values()] : this.#list(pk);
    const found = rows.filter((row) => String(row[sort]).startsWith(skPrefix));
    found.sort((a, b) => (String(a[sort]) < String(b[sort]) ? -1 : 1));
    if (backwards) found.reverse();
    if (after === undefined) return found;
    const isBehind = (row: Row) =>
      backwards ? String(row[sort]) < String(after[sort]) : String(row[sort]) > String(after[sort]);
    return found.filter(isBehind);
  }

  write(write: Write): boolean {
    return this.transact([write]).kind === 'committed';
  }

  transact(asked: readonly Write[]): TransactOutcome {
    if (asked.length > transactRowsMax) throw new Error(`${asked.length} rows in one commit`);
    const writes = asked.map(this.onAsk);
    const keys = writes.map((write) => keyOf(write)).map(({ pk, sk }) => `${pk} ${sk}`);
    if (new Set(keys).size < keys.length) throw new Error('a transaction names a row twice');
    const failed = writes.flatMap(({ condition, ...write }, at) =>
      holds(condition, this.get(keyOf(write as Write))) ? [] : [at],
    );
    if (failed.length > 0) return { kind: 'refused', failed };
    if (isRetriedByItsCaller(writes) && this.isContended()) return { kind: 'conflict' };
    for (const write of writes) this.#carryOut(write);
    return { kind: 'committed' };
  }

  #carryOut(write: Write): void {
    if (write.kind === 'check') return;
    const { pk, sk } = keyOf(write);
    const before = this.get({ pk, sk });
    const after = afterOf(write, before);
    if (after === null && before === null) return;
    const rows = new Map(this.partition(pk));
    if (after === null) rows.delete(sk);
    else rows.set(sk, stored(this.onWrite(after)));
    this.#partitions.set(pk, rows);
    this.#contents = {};
    if (isDeepStrictEqual(before, rows.get(sk) ?? null)) return;
    const eventName = after === null ? 'REMOVE' : before === null ? 'INSERT' : 'MODIFY';
    this.#listen({ eventName, pk, sk, row: after === null ? null : (rows.get(sk) ?? null) });
  }

  /** The rows of one partition of the index, with what it carries. */
  #list(listPk: string): Row[] {
    const carried = ['pk', 'sk', listIndex.partition, listIndex.sort, ...listIndex.attributes];
    const rows = [...this.#partitions.values()].flatMap((partition) => [...partition.values()]);
    const listed = rows.filter((row) => row[listIndex.partition] === listPk);
    return listed.map((row) => {
      const shown = Object.entries(row).filter(([name]) => carried.includes(name));
      return Object.fromEntries(shown) as Row;
    });
  }
}

const noRows: ReadonlyMap<string, Row> = new Map();

/** What another store waits for by itself would wait on a clock that is not the simulation's. */
function isRetriedByItsCaller([first]: readonly Write[]): boolean {
  if (first === undefined || first.condition?.values?.seen === undefined) return false;
  return [cellRows.meta, jobRows.status].some((sk) => sk === keyOf(first).sk);
}

function keyOf(write: Write): Key {
  return write.kind === 'put' ? write.row : write.key;
}

/** Through the values that go over the wire: what they cannot hold, the table cannot either. */
function stored(row: Row): Row {
  return decodeMap(encodeMap(row)) as Row;
}

function afterOf(write: Exclude<Write, { kind: 'check' }>, before: Row | null): Row | null {
  if (write.kind === 'delete') return null;
  if (write.kind === 'put') return write.row;
  return updated(write.key, write.change, before);
}

function updated({ pk, sk }: Key, change: Change, before: Row | null): Row {
  const row: Record<string, unknown> = { ...before, pk, sk };
  for (const [name, value] of Object.entries(change.set ?? {})) {
    if (value !== undefined) row[name] = value;
  }
  for (const name of change.remove ?? []) delete row[name];
  for (const [name, value] of Object.entries(change.add ?? {})) {
    row[name] = (typeof row[name] === 'number' ? row[name] : 0) + value;
  }
  return row as Row;
}

/**
 * The table as a store meets it. `call` is asked for each operation by its name: it decides when
 * and whether it happens.
 */
export function tableThrough(
  table: SimulatedTable,
  call: <T>(name: string, operation: () => T) => Promise<T>,
): Table {
  const write = (name: string, it: Write) => call(`table ${name}`, () => table.write(it));
  const put = (row: Row, condition?: Condition): Write =>
    condition === undefined ? { kind: 'put', row } : { kind: 'put', row, condition };
  const when = (condition?: Condition) => (condition === undefined ? {} : { condition });
  return {
    name: 'simulated',
    reportUnreadable: ({ pk, sk }) => {
      throw new Error(`the row ${pk} ${sk} cannot be read`);
    },
    get: (key) => call('table get', () => table.get(key)),
    getMany: (keys) => call('table getMany', () => keys.flatMap((key) => table.get(key) ?? [])),
    query: (request) =>
      call('table query', () => {
        const rows = table.query(request);
        const page = rows.slice(0, request.limit ?? rows.length);
        const last = page.at(-1);
        const isWhole = page.length === rows.length || last === undefined;
        return { rows: page, next: isWhole ? null : positionOf(last) };
      }),
    queryAll: (request) => call('table query', () => table.query(request)),
    put: (row, condition) => write('put', put(row, condition)),
    update: (key, change, condition) =>
      write('update', { kind: 'update', key, change, ...when(condition) }),
    remove: (key, condition) => write('remove', { kind: 'delete', key, ...when(condition) }),
    transact: (writes) => call('table transact', () => table.onOutcome(table.transact(writes))),
  };
}

function positionOf(row: Row): Readonly<Record<string, unknown>> {
  const { pk, sk } = row;
  const { partition, sort } = listIndex;
  return row[sort] === undefined
    ? { pk, sk }
    : { pk, sk, [partition]: row[partition], [sort]: row[sort] };
}
