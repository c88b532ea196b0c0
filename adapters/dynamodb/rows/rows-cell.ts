import {
  type CellEdge,
  type CellHealth,
  type CellMeta,
  type QueueConfig,
  queueDefaults,
} from '../../../core/model/cell.ts';
import { type CellSummary, emptySummary } from '../../../core/model/cell-summary.ts';
import { noJobStates } from '../../../core/model/job.ts';
import { type CellId, poolOfCell } from '../../../core/model/names.ts';
import type { MetaPart } from '../../../core/model/unreadable.ts';
import type { StoredPool } from '../../../core/ports/pools.ts';
import { cellOfRow, cellPoolKey, cellQueueKey, metaKey, tickKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, flag, json, text, timeOrNull, whole } from './row-values.ts';
import {
  isAmount,
  isFigure,
  isText,
  isTime,
  listOf,
  optional,
  orNull,
  recordOf,
  type Shape,
  tableOf,
} from './shapes.ts';
import { readable } from './unreadable-row.ts';

/** A cell's own rows: META (version, health, summary), TICK, and its copies of queue settings. */
export function encodeMeta(meta: CellMeta): Row {
  return { ...metaKey(meta.id), ...metaAttributes(meta) };
}

export function metaAttributes(meta: CellMeta): Record<string, unknown> {
  const { jobStates, ...figures } = meta.summary;
  const { quarantined, ...edges } = figures.edges;
  const summary = { ...figures, edges: { ...edges, aside: quarantined } };
  const counted = Object.entries(jobStates).filter(([, count]) => count !== 0);
  return {
    pool: meta.pool,
    version: meta.version,
    health: JSON.stringify(meta.health),
    summary: JSON.stringify(summary),
    ...(meta.passedAtMs !== undefined && { passedAtMs: meta.passedAtMs }),
    ...(counted.length === 0 ? {} : { states: JSON.stringify(Object.fromEntries(counted)) }),
  };
}

/**
 * The version is what makes commits safe: without it nobody may write the cell. Health and summary
 * are put together again by passes, but for totals that never fall: where these cannot be read, a
 * pass goes on without them and leaves them as they are (`metaWrite`).
 */
export function decodeMeta(row: Row): CellMeta {
  const id = cellOfRow(row);
  const version = readable(row, ({ version }) => whole(version));
  const health = readable(row, healthOf);
  const summary = readable(row, summaryOf);
  const states = readable(row, statesOf);
  const passedAtMs = passedAtOf(row);
  const unreadable: MetaPart[] = [];
  if (version === null) unreadable.push('version');
  if (health === null) unreadable.push('health');
  if (summary === null) unreadable.push('summary');
  if (states === null) unreadable.push('states');
  return {
    id,
    pool: readable(row, ({ pool }) => text(pool)) ?? poolOfCell(id),
    version: version ?? 0,
    health: health ?? unknownHealth,
    summary: { ...(summary ?? emptySummary), jobStates: states ?? noJobStates },
    ...(passedAtMs !== null && { passedAtMs }),
    ...(unreadable.length > 0 && { unreadable }),
  };
}

/** Only spares looks: one that cannot be read spares none. */
export function passedAtOf(row: Row): number | null {
  return readable(row, (it) => timeOrNull(it.passedAtMs));
}

const unknownHealth: CellHealth = { tickAtMs: null, healthySinceMs: 0, holdSinceMs: null };

function healthOf(row: Row): CellHealth {
  return { ...unknownHealth, ...json<Partial<CellHealth>>(row.health, isHealth, {}) };
}

const isHealth = recordOf({
  tickAtMs: optional(orNull(isTime)),
  healthySinceMs: optional(isTime),
  holdSinceMs: optional(orNull(isTime)),
});

type StoredSummary = Partial<CellSummary> & {
  /** `aside` is what the row has for `quarantined`. */
  readonly edges?: Partial<CellSummary['edges']> & { readonly aside?: number };
};

/** A figure that an earlier version did not keep is none. */
function summaryOf(row: Row): CellSummary {
  const stored = json<StoredSummary>(row.summary, isSummary, {});
  const { aside = 0, ...edges } = stored.edges ?? {};
  return {
    ...emptySummary,
    ...stored,
    edges: { ...emptySummary.edges, ...edges, quarantined: aside },
    power: { ...emptySummary.power, ...stored.power },
    chunks: { ...emptySummary.chunks, ...stored.chunks },
  };
}

function statesOf(row: Row): CellSummary['jobStates'] {
  return { ...noJobStates, ...json(row.states, tableOf(isFigure), {}) };
}

const areFigures: Shape = optional(tableOf(isFigure));
const isOptionalFigure: Shape = optional(isFigure);
const isSummary = recordOf({
  edges: areFigures,
  power: areFigures,
  chunks: areFigures,
  backlogPower: isOptionalFigure,
  strandedPower: isOptionalFigure,
  largestEdgePower: isOptionalFigure,
  jobs: isOptionalFigure,
  unreadable: isOptionalFigure,
  everywhere: optional(listOf(isText)),
  labels: optional(tableOf(orNull(listOf(isText)))),
});

export function encodeTick(cell: CellId, atMs: number): Row {
  return { ...tickKey(cell), atMs };
}

export function decodeTick(row: Row): number | null {
  return timeOrNull(row.atMs);
}

export function encodeQueue(cell: CellId, queue: string, config: QueueConfig): Row {
  return { ...cellQueueKey(cell, queue), ...config };
}

/** What a queue may use is not known: nothing. */
export const unreadableQueue: QueueConfig = { ...queueDefaults, quota: 0 };

export function decodeQueue(row: Row): QueueConfig {
  return {
    weight: amount(row.weight, queueDefaults.weight),
    strict: flag(row.strict),
    quota: amountOrNull(row.quota),
  };
}

export function encodeCellPool(cell: CellId, { edgeCapacityMax }: StoredPool): Row {
  return { ...cellPoolKey(cell), edgeMax: JSON.stringify(edgeCapacityMax) };
}

export function decodeCellPool(row: Row | undefined): CellEdge['capacityMax'] {
  return parseAmounts(row?.edgeMax);
}

/** `undefined` where nothing is limited. */
export function parseAmounts(stored: unknown): Readonly<Record<string, number>> | undefined {
  const amounts = json<Readonly<Record<string, number>>>(stored, tableOf(isClaim), {});
  return Object.keys(amounts).length === 0 ? undefined : amounts;
}

const isClaim: Shape = (value) => isAmount(value) && (value as number) >= 0;
