import { parseFacts } from '../model/edge-facts.ts';
import { type EdgeName, parseEdgeName } from '../model/names.ts';
import type { Facts } from './facts.ts';
import { isCount, isRecord } from './json.ts';
import { type ProgressReport, parseProgressReport } from './progress-report.ts';

/**
 * What reaches the cloud from or about one edge, whichever way it came. `atMs` is the time of the
 * broker or the API that took it in, never the edge's own clock.
 */
export type EdgeEvent =
  | {
      readonly kind: 'prog';
      readonly edge: EdgeName;
      readonly atMs: number;
      /** Version of the shadow; `null` when it came over HTTPS, where none is. */
      readonly version: number | null;
      readonly progress: ProgressReport;
    }
  | {
      readonly kind: 'facts';
      readonly edge: EdgeName;
      readonly atMs: number;
      readonly version: number | null;
      readonly facts: Facts;
    }
  | {
      /** It asked for its work over HTTPS. */
      readonly kind: 'contact';
      readonly edge: EdgeName;
      readonly atMs: number;
      readonly version: null;
    }
  | {
      readonly kind: 'connected' | 'disconnected';
      readonly edge: EdgeName;
      readonly atMs: number;
      /**
       * The broker's counter of this client's connections; a connection and its end carry the same.
       */
      readonly version: number;
    };

/**
 * Reads a message that an IoT rule made; `null` when it makes no sense, which no retry would
 * change.
 */
export function parseEdgeEvent(value: unknown): EdgeEvent | null {
  if (!isRecord(value)) return null;
  const { kind, at: atMs, version } = value;
  const edge = typeof value.edge === 'string' ? parseEdgeName(value.edge) : null;
  if (edge === null) return null;
  if (!isCount(atMs) || !isCount(version)) return null;
  switch (kind) {
    case 'prog': {
      const progress = parseProgressReport(value.reported);
      return progress === null ? null : { kind, edge, atMs, version, progress };
    }
    case 'facts': {
      const facts = parseFacts(value.reported);
      return facts === null ? null : { kind, edge, atMs, version, facts };
    }
    case 'connected':
    case 'disconnected':
      return { kind, edge, atMs, version };
    default:
      return null;
  }
}

/** How many jobs, capacities and labels of a message make no sense, and are not in the event. */
export function leftOutOf(event: EdgeEvent, reported: unknown): number {
  if (!isRecord(reported)) return 0;
  const missing = (said: unknown, read: ReadonlySet<string>): number =>
    isRecord(said)
      ? Object.entries(said).filter(([name, value]) => value !== null && !read.has(name)).length
      : Number(said !== undefined && said !== null);
  if (event.kind === 'prog') return missing(reported.w, new Set(event.progress.jobs.keys()));
  if (event.kind !== 'facts') return 0;
  const { capacity, labels } = event.facts;
  return (
    missing(reported.capacity, new Set(Object.keys(capacity))) +
    missing(reported.labels, new Set(Object.keys(labels)))
  );
}
