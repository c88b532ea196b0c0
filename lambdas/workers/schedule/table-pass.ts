import { createKnownCells } from '../../../adapters/dynamodb/fleet/cell-store.ts';
import { addProgress } from '../../../adapters/dynamodb/jobs/job-stats.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createWorkShadows } from '../../../adapters/iot/work-shadows.ts';
import { createPassTimers } from '../../../adapters/sqs/pass-timers.ts';
import { requiredEnv } from '../../environment.ts';
import type { Log } from '../../log.ts';
import { createBusyCells } from './busy-cells.ts';
import type { CellDeps } from './run-pass.ts';
import type { ShortPassDeps } from './short-pass.ts';

const clock = { nowMs: Date.now };

/** What a plan is carried out with: the table, the shadows, the timers of the stack. */
export function passesOn(table: Table, log: Log): CellDeps {
  return {
    store: createKnownCells(table),
    shadows: createWorkShadows(),
    timers: createPassTimers({ queueUrl: requiredEnv('TIMER_QUEUE_URL'), clock }),
    clock,
    log,
    rates: { countProgress: (progress, atMs) => addProgress(table, progress, atMs) },
  };
}

export function shortPassesOn(table: Table, log: Log): ShortPassDeps {
  return { ...passesOn(table, log), busy: createBusyCells() };
}
