import type { Cell, CellEdge } from '../../core/model/cell.ts';
import { type Seat, type Stored, seatKey } from './stored.ts';

/** Stores a cell as it is, as the API, the reports and the passes would have left it. */
export function seedMemory(stored: Stored, cell: Cell): void {
  stored.cells.set(cell.meta.id, cell);
  for (const edge of cell.edges.values()) {
    stored.seats.set(seatKey(cell.meta.id, edge.name), seatOf(edge));
  }
}

function seatOf({ report, facts }: CellEdge): Seat {
  const progress = report?.progress ?? null;
  const { version = 0, receivedAtMs = 0 } = report ?? {};
  const { connected = false, connectionVersion = 0, connectionAtMs = 0 } = report ?? {};
  return {
    version: 0,
    progress:
      progress === null
        ? null
        : { progress, version, atMs: receivedAtMs, overHttps: report?.poll !== undefined },
    polledAtMs: report?.poll?.contactAtMs ?? 0,
    presence:
      report === null ? null : { connected, version: connectionVersion, atMs: connectionAtMs },
    facts: { facts: facts ?? noFacts, version: 0, atMs: null },
  };
}

const noFacts = { capacity: { power: 0 }, labels: {}, flat: {} };
