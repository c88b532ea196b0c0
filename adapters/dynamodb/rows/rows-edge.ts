import type { EdgeConfig, EdgeFacts, EdgeReport } from '../../../core/model/cell.ts';
import type { ResourceVector } from '../../../core/model/job.ts';
import type { CellId, EdgeName } from '../../../core/model/names.ts';
import { edgeReportOf } from '../../../core/model/presence.ts';
import {
  type ProgressReport,
  parseProgressReport,
} from '../../../core/protocol/progress-report.ts';
import { edgeKey, factsKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { flag, json, time, whole } from './row-values.ts';
import {
  isAmount,
  isFlag,
  isText,
  isTime,
  optional,
  orNull,
  recordOf,
  type Shape,
  tableOf,
} from './shapes.ts';

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
    pull: JSON.stringify(config.pull ?? null),
  };
}

export function decodeEdge(row: Row): EdgeConfig {
  return {
    labels: json(row.labels, tableOf(isText), {}),
    capacity: json(row.capacity, tableOf(isAmount), {}),
    cordoned: json(row.cordoned, isCordon, null),
    drain: json(row.drain, isDrain, null),
    removing: json(row.removing, orNull(recordOf({ force: isFlag })), null),
    ...pullOf(row),
  };
}

function pullOf(row: Row): Pick<EdgeConfig, 'pull'> {
  const pull = json<EdgeConfig['pull']>(row.pull, orNull(recordOf({ offers: isOffers })), null);
  return pull == null ? {} : { pull };
}

const isOffers: Shape = (value) => value === 'named' || value === 'pool';
const isCordon = orNull(recordOf({ reason: isText, sinceMs: optional(isTime) }));
const isDrain = orNull(recordOf({ reason: isText, deadlineAtMs: optional(orNull(isTime)) }));

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
  const { counted } = facts;
  const own = counted === undefined ? {} : { counted: JSON.stringify(counted) };
  return { ...factsKey(cell, edge), ...factsAttributes(facts, version), ...own };
}

/** What an edge says of itself; what its graph counts stays beside it. */
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
    capacity: json<ResourceVector>(row.capacity, tableOf(isAmount), { power: 0 }),
    labels: json(row.labels, tableOf(isText), {}),
    flat: json(row.flat, tableOf(isFact), {}),
    ...(row.counted !== undefined && { counted: json(row.counted, tableOf(isAmount), {}) }),
  };
}

const isFact: Shape = (value) => isText(value) || isAmount(value) || isFlag(value);

/**
 * A report, the broker's hints and the contacts in between have an order each, so that any of them
 * may arrive first; what they say together is `core/model/presence.ts`.
 */
export function decodeReport(row: Row): EdgeReport {
  return edgeReportOf({
    progress: progressOf(row),
    version: whole(row.version),
    receivedAtMs: time(row.receivedAtMs),
    overHttps: flag(row.https),
    connected: flag(row.connected),
    connectionVersion: whole(row.connectionVersion),
    connectionAtMs: time(row.connectionAtMs),
  });
}

/** What was stored was understood once; what is not understood now no edge has reported. */
function progressOf(row: Row): ProgressReport | null {
  const stored = json<unknown>(row.prog, () => true, null);
  const progress = parseProgressReport(stored);
  if (progress === null && stored !== null) throw new Error(`${row.pk} ${row.sk} is no report`);
  return progress;
}
