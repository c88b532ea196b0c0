import type { SchedulesStore } from '../../../core/ports/schedules.ts';
import type { Run, Schedule } from '../../../core/schedules/schedule.ts';
import { putAudit } from '../access/audit-store.ts';
import {
  auditTimeDigits,
  scheduleKey,
  scheduleListKey,
  scheduleOfRow,
  scheduleRunKey,
} from '../keys.ts';
import { decodeRun, decodeSchedule, encodeRun, encodeSchedule } from '../rows/rows-schedule.ts';
import { readableRows } from '../rows/unreadable-row.ts';
import { listIndex, lists, scheduleRows } from '../schema.ts';
import type { Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };
const list = { pk: lists.schedules, index: listIndex.name } as const;

/** Schedules: one row each, in the list by their next times, and one for each of their runs. */
export function createSchedulesStore(table: Table): SchedulesStore {
  return {
    async find(name) {
      const row = await table.get(scheduleKey(name));
      return row === null ? null : decodeSchedule(row);
    },

    async list() {
      const found = await table.queryAll(list);
      const rows = await table.getMany(found);
      const schedules = readableRows(table, rows, decodeSchedule);
      return schedules.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async listDue(nowMs, limit) {
      const { rows } = await table.query({ ...list, limit });
      const { listSk } = scheduleListKey('', nowMs + 1);
      return rows.filter((row) => String(row.listSk) < listSk).map(scheduleOfRow);
    },

    async create(schedule, audit) {
      const outcome = await transactWithRetry(table, [
        { kind: 'put', row: encodeSchedule(schedule), condition: absent },
        putAudit(audit),
      ]);
      return outcome.kind === 'committed';
    },

    async save(next, seenTurn, runs) {
      const outcome = await transactWithRetry(table, saveWrites(next, seenTurn, runs));
      return outcome.kind === 'committed';
    },

    remove: (name, seen) =>
      table.remove(scheduleKey(name), { expression: '#turn = :seen', values: { seen } }),

    async runs(name, position, limit) {
      const { pk } = scheduleKey(name);
      const after = position === null ? {} : { after: scheduleRunKey(name, Number(position)) };
      const wanted = { pk, skPrefix: scheduleRows.run, backwards: true, limit };
      const { rows } = await table.query({ ...wanted, ...after });
      return readableRows(table, rows, (row) => {
        return { run: decodeRun(row), position: row.sk.slice(-auditTimeDigits) };
      });
    },
  };
}

function saveWrites(next: Schedule, seen: number, runs: readonly Run[]): Write[] {
  const condition = { expression: '#turn = :seen', values: { seen } };
  return [
    { kind: 'put', row: encodeSchedule(next), condition },
    ...runs.map((run): Write => ({ kind: 'put', row: encodeRun(next.name, run) })),
  ];
}
