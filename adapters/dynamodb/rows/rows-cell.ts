import {
  type CellHealth,
  type CellMeta,
  type CellSummary,
  emptySummary,
  type QueueConfig,
  queueDefaults,
} from '../../../core/model/cell.ts';
import type { CellId } from '../../../core/model/names.ts';
import { cellOfRow, cellQueueKey, metaKey, tickKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, json, text } from './row-values.ts';

/** A cell's own rows: META (version, health, summary), TICK, and its copies of queue settings. */
export function encodeMeta(meta: CellMeta): Row {
  return {
    ...metaKey(meta.id),
    pool: meta.pool,
    version: meta.version,
    health: JSON.stringify(meta.health),
    summary: JSON.stringify(meta.summary),
  };
}

export function decodeMeta(row: Row): CellMeta {
  const unknownHealth: CellHealth = { tickAtMs: null, healthySinceMs: 0, holdSinceMs: null };
  return {
    id: cellOfRow(row),
    pool: text(row.pool),
    version: amount(row.version),
    health: { ...unknownHealth, ...json<Partial<CellHealth>>(row.health, {}) },
    summary: { ...emptySummary, ...json<Partial<CellSummary>>(row.summary, {}) },
  };
}

export function encodeTick(cell: CellId, atMs: number): Row {
  return { ...tickKey(cell), atMs };
}

export function decodeTick(row: Row): number | null {
  return amountOrNull(row.atMs);
}

export function encodeQueue(cell: CellId, queue: string, config: QueueConfig): Row {
  return { ...cellQueueKey(cell, queue), ...config };
}

export function decodeQueue(row: Row): QueueConfig {
  return {
    weight: amount(row.weight, queueDefaults.weight),
    strict: row.strict === true,
    quota: amountOrNull(row.quota),
  };
}
