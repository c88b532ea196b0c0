import type { EdgeFacts, EdgeReport } from '../../core/cell.ts';
import { cellFactsOf } from '../../core/edge-facts.ts';
import { connectionOrderMs } from '../../core/limits.ts';
import type { CellId, EdgeName } from '../../core/names.ts';
import type { Inventory } from '../../core/ports/inventory.ts';
import type { EdgeEvent } from '../../core/wire/edge-event.ts';
import { encodeProg, type Prog, parseProg } from '../../core/wire/prog.ts';

type ProgEvent = Extract<EdgeEvent, { kind: 'prog' }>;
type PresenceEvent = Extract<EdgeEvent, { kind: 'connected' | 'disconnected' }>;

type Heard = {
  prog: { prog: Prog; version: number | null; atMs: number } | null;
  presence: { connected: boolean; version: number; atMs: number } | null;
  facts: { facts: EdgeFacts; version: number | null; atMs: number } | null;
};

/** An inventory in memory; what it hands out are rows as a cell has them. */
export type MemoryInventory = Inventory & {
  enrol(edge: EdgeName, cell: CellId): void;
  report(edge: EdgeName): EdgeReport | null;
  facts(edge: EdgeName): EdgeFacts | null;
};

export function createMemoryInventory(): MemoryInventory {
  const cells = new Map<EdgeName, CellId>();
  const heard = new Map<EdgeName, Heard>();
  return {
    enrol(edge, cell) {
      cells.set(edge, cell);
      heard.set(edge, { prog: null, presence: null, facts: null });
    },
    async cellsOf(edges) {
      const found = edges.flatMap((edge): [EdgeName, CellId][] => {
        const cell = cells.get(edge);
        return cell === undefined ? [] : [[edge, cell]];
      });
      return new Map(found);
    },
    async store(_cell, event) {
      const of = heard.get(event.edge);
      if (of === undefined) return 'older';
      return take(of, structuredClone(event)) ? 'stored' : 'older';
    },
    report: (edge) => reportOf(heard.get(edge)),
    facts: (edge) => heard.get(edge)?.facts?.facts ?? null,
  };
}

function take(of: Heard, event: EdgeEvent): boolean {
  switch (event.kind) {
    case 'prog': {
      if (!isNewerProg(of.prog, event)) return false;
      const prog = parseProg(JSON.parse(JSON.stringify(encodeProg(event.prog))));
      if (prog === null) throw new Error('a report is not read back as it was written');
      of.prog = { prog, version: event.version ?? of.prog?.version ?? null, atMs: event.atMs };
      return true;
    }
    case 'facts': {
      const { version, atMs } = event;
      if (of.facts !== null && !isNewer(of.facts, { version, atMs })) return false;
      of.facts = {
        facts: cellFactsOf(event.facts),
        version: version ?? of.facts?.version ?? null,
        atMs,
      };
      return true;
    }
    case 'connected':
    case 'disconnected':
      return takePresence(of, event);
  }
}

type Order = { readonly version: number | null; readonly atMs: number };

function isNewer(before: Order, event: Order): boolean {
  if (event.version === null) return event.atMs > before.atMs;
  return before.version === null || event.version > before.version;
}

function isNewerProg(before: Heard['prog'], event: ProgEvent): boolean {
  if (before === null) return true;
  const { sequence, boot } = event.prog;
  if (event.version === null && sequence === null) return event.atMs > before.atMs;
  const byVersion =
    event.version === null || before.version === null || event.version > before.version;
  const bySequence =
    sequence === null ||
    before.prog.sequence === null ||
    before.prog.boot !== boot ||
    sequence > before.prog.sequence;
  return byVersion && bySequence;
}

function takePresence(of: Heard, event: PresenceEvent): boolean {
  const before = of.presence;
  const connected = event.kind === 'connected';
  const { version, atMs } = event;
  const newer =
    before === null ||
    (connected ? version > before.version : version >= before.version) ||
    before.atMs < atMs - connectionOrderMs;
  if (newer) of.presence = { connected, version, atMs };
  return newer;
}

function reportOf(of: Heard | undefined): EdgeReport | null {
  if (of === undefined || (of.prog === null && of.presence === null)) return null;
  const receivedAtMs = of.prog?.atMs ?? 0;
  const hintAtMs = of.presence?.atMs ?? 0;
  const proven = receivedAtMs > hintAtMs;
  const hinted = of.presence?.connected === true;
  return {
    prog: of.prog?.prog ?? null,
    version: of.prog?.version ?? 0,
    receivedAtMs,
    connected: hinted || proven,
    connectionVersion: of.presence?.version ?? 0,
    connectionAtMs: !hinted && proven ? receivedAtMs : hintAtMs,
  };
}
