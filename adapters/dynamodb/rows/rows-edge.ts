import type { EdgeConfig, EdgeFacts, EdgeReport } from '../../../core/model/cell.ts';
import type { ResourceVector } from '../../../core/model/job.ts';
import type { CellId, EdgeName } from '../../../core/model/names.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { edgeKey, factsKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, json } from './row-values.ts';

/** The rows of one edge inside its cell, one for each tree except Desired (`rows-work.ts`). */
export function encodeEdge(cell: CellId, edge: EdgeName, config: EdgeConfig): Row {
  return { ...edgeKey(cell, edge), ...edgeAttributes(config) };
}

/** What an update of the edge's settings sets. */
export function edgeAttributes(config: EdgeConfig): Record<string, unknown> {
  return {
    labels: JSON.stringify(config.labels),
    capacity: JSON.stringify(config.capacity),
    cordoned: JSON.stringify(config.cordoned),
    drain: JSON.stringify(config.drain),
    removing: JSON.stringify(config.removing),
  };
}

export function decodeEdge(row: Row): EdgeConfig {
  return {
    labels: json(row.labels, {}),
    capacity: json(row.capacity, {}),
    cordoned: json(row.cordoned, null),
    drain: json(row.drain, null),
    removing: json(row.removing, null),
  };
}

/** What stands for the settings of an edge while a row of it cannot be read. */
export function unreadableConfig(row: string): EdgeConfig {
  const reason = `its row ${row} cannot be read`;
  return {
    labels: {},
    capacity: {},
    cordoned: { reason, sinceMs: 0 },
    drain: null,
    removing: null,
  };
}

/** `version` orders writes: it is the version of the `facts` shadow, 0 from enrolment. */
export function encodeFacts(cell: CellId, edge: EdgeName, facts: EdgeFacts, version = 0): Row {
  return { ...factsKey(cell, edge), ...factsAttributes(facts, version) };
}

export function factsAttributes(facts: EdgeFacts, version: number): Record<string, unknown> {
  return {
    capacity: JSON.stringify(facts.capacity),
    labels: JSON.stringify(facts.labels),
    flat: JSON.stringify(facts.flat),
    version,
  };
}

export function decodeFacts(row: Row): EdgeFacts {
  return {
    capacity: json<ResourceVector>(row.capacity, { power: 0 }),
    labels: json(row.labels, {}),
    flat: json(row.flat, {}),
  };
}

/**
 * A report and the broker's hints share a row, each with its own order, so that either may arrive
 * first. An edge that reported after the broker called it gone is there: a report proves a
 * connection.
 */
export function decodeReport(row: Row): EdgeReport {
  const receivedAtMs = amount(row.receivedAtMs);
  const hintAtMs = amount(row.connectionAtMs);
  const proven = receivedAtMs > hintAtMs;
  return {
    progress: parseProgressReport(json<unknown>(row.prog, null)),
    version: amount(row.version),
    receivedAtMs: receivedAtMs,
    connected: row.connected === true || proven,
    connectionVersion: amount(row.connectionVersion),
    connectionAtMs: row.connected !== true && proven ? receivedAtMs : hintAtMs,
  };
}
