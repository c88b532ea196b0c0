import type { EdgeReport } from '../../core/model/cell.ts';
import { cellFactsOf } from '../../core/model/edge-facts.ts';
import { connectionOrderMs, contactMarkMs } from '../../core/model/limits.ts';
import type { CellId, EdgeName } from '../../core/model/names.ts';
import { edgeReportOf, polledAt } from '../../core/model/presence.ts';
import type { Inventory } from '../../core/ports/inventory.ts';
import type { EdgeEvent } from '../../core/protocol/edge-event.ts';
import { changeEdge, type FactsOrder, type Seat, type Stored, seatKey } from './stored.ts';

type ProgressEvent = Extract<EdgeEvent, { kind: 'prog' }>;
type FactsEvent = Extract<EdgeEvent, { kind: 'facts' }>;
type PresenceEvent = Extract<EdgeEvent, { kind: 'connected' | 'disconnected' }>;

/** What edges say, in memory. An edge that is in no cell does not count. */
export function createMemoryInventory(stored: Stored): Inventory {
  return {
    async cellsOf(edges) {
      const found = edges.flatMap((edge): [EdgeName, CellId][] => {
        const cell = stored.identities.get(edge)?.cell;
        return cell === undefined ? [] : [[edge, cell]];
      });
      return new Map(found);
    },
    async store(cell, event) {
      return keep(stored, cell, event) ? 'stored' : 'older';
    },
  };
}

export function keep(stored: Stored, cell: CellId, event: EdgeEvent): boolean {
  const seat = stored.seats.get(seatKey(cell, event.edge));
  if (seat === undefined || !hear(stored, seat, event)) return false;
  changeEdge(stored, cell, event.edge, (edge) => ({
    ...edge,
    facts: seat.facts.facts,
    report: reportOf(seat),
  }));
  return true;
}

export function isNews(stored: Stored, cell: CellId, event: ProgressEvent): boolean {
  const seat = stored.seats.get(seatKey(cell, event.edge));
  return seat !== undefined && (seat.progress === null || isNewerProgress(seat.progress, event));
}

function hear(stored: Stored, seat: Seat, event: EdgeEvent): boolean {
  switch (event.kind) {
    case 'prog':
      return storeProgress(seat, event);
    case 'facts':
      return storeFacts(stored, seat, event);
    case 'connected':
    case 'disconnected':
      return storePresence(seat, event);
    case 'contact':
      return storeContact(seat, event.atMs);
  }
}

function storeContact(seat: Seat, atMs: number): boolean {
  if (seat.polledAtMs !== 0 && atMs < seat.polledAtMs + contactMarkMs) return false;
  seat.polledAtMs = atMs;
  return true;
}

function storeProgress(seat: Seat, event: ProgressEvent): boolean {
  const { progress, version, atMs } = event;
  const before = seat.progress;
  if (before !== null && !isNewerProgress(before, event)) return false;
  const newest = version ?? before?.version ?? null;
  seat.progress = { progress, version: newest, atMs, overHttps: version === null };
  return true;
}

function isNewerProgress(before: NonNullable<Seat['progress']>, event: ProgressEvent): boolean {
  const { sequence, boot } = event.progress;
  if (event.version === null && sequence === null) return event.atMs > before.atMs;
  const byVersion =
    event.version === null || before.version === null || event.version > before.version;
  const bySequence =
    sequence === null ||
    before.progress.sequence === null ||
    before.progress.boot !== boot ||
    sequence > before.progress.sequence;
  return byVersion && bySequence;
}

function storeFacts(stored: Stored, seat: Seat, event: FactsEvent): boolean {
  const { edge, facts, atMs } = event;
  if (!isNewerFacts(seat.facts, event)) return false;
  const order = { version: event.version ?? seat.facts.version, atMs };
  const { counted } = seat.facts.facts;
  const said = { ...cellFactsOf(facts), ...(counted !== undefined && { counted }) };
  seat.facts = { facts: said, ...order };
  stored.allFacts.set(edge, { facts: facts.facts, ...order });
  return true;
}

function isNewerFacts(before: FactsOrder, event: FactsEvent): boolean {
  if (event.version === null) return before.atMs === null || event.atMs > before.atMs;
  return before.version === null || event.version > before.version;
}

function storePresence(seat: Seat, event: PresenceEvent): boolean {
  const before = seat.presence;
  const connected = event.kind === 'connected';
  if (before !== null && before.atMs >= event.atMs - connectionOrderMs) {
    if (connected ? event.version <= before.version : event.version < before.version) return false;
  }
  seat.presence = { connected, version: event.version, atMs: event.atMs };
  return true;
}

function reportOf({ progress, presence, polledAtMs }: Seat): EdgeReport | null {
  if (progress === null && presence === null) return null;
  const report = edgeReportOf({
    progress: progress?.progress ?? null,
    version: progress?.version ?? 0,
    receivedAtMs: progress?.atMs ?? 0,
    overHttps: progress?.overHttps === true,
    connected: presence?.connected === true,
    connectionVersion: presence?.version ?? 0,
    connectionAtMs: presence?.atMs ?? 0,
  });
  return polledAt(report, polledAtMs);
}
