import type { CellEdge } from '../../core/model/cell.ts';
import { cellEdgesMax } from '../../core/model/limits.ts';
import type { CellId, EdgeName } from '../../core/model/names.ts';
import type {
  EdgeEnrolments,
  EdgeIdentities,
  EdgeIdentity,
  EdgeSettings,
  EdgesStore,
  Enrolment,
} from '../../core/ports/edges.ts';
import { changeEdge, pageOf, type Stored, seatKey } from './stored.ts';

/** Edges in memory: who they are, how they come and go, and what their users set. */
export function createMemoryEdges(stored: Stored): EdgesStore {
  return { ...identities(stored), ...enrolments(stored), ...settings(stored) };
}

function identities(stored: Stored): EdgeIdentities {
  return {
    async identify(edge) {
      return stored.identities.get(edge) ?? null;
    },
    async cellsOf(edges) {
      return new Set(edges.flatMap((edge) => stored.identities.get(edge)?.cell ?? []));
    },
  };
}

function enrolments(stored: Stored): EdgeEnrolments {
  const keep = (identity: EdgeIdentity) => {
    const { edge, cell, credentials } = identity;
    stored.identities.set(edge, identity);
    for (const hash of credentials) stored.credentials.set(hash, { kind: 'edge', edge, cell });
  };
  const end = (hashes: readonly string[]) => {
    for (const hash of hashes) stored.credentials.delete(hash);
  };
  return {
    async enrol(enrolment) {
      const { edge, cell } = enrolment.identity;
      if (stored.identities.has(edge)) return 'taken';
      const edges = stored.poolCells.get(cell) ?? cellEdgesMax;
      if (edges >= cellEdgesMax) return 'full';
      stored.poolCells.set(cell, edges + 1);
      keep(enrolment.identity);
      seat(stored, enrolment);
      return 'enrolled';
    },
    async addCredential(identity, hash) {
      end(identity.credentials.slice(0, -1));
      const next = { ...identity, credentials: [...identity.credentials.slice(-1), hash] };
      keep(next);
      return next;
    },
    async renew(seen, next) {
      const now = stored.identities.get(seen.edge);
      if (now?.credentials.join() !== seen.credentials.join()) return false;
      end(seen.credentials);
      keep(next);
      return true;
    },
    async markRemoving({ edge }, nowMs) {
      const known = stored.identities.get(edge);
      if (known !== undefined) stored.identities.set(edge, { ...known, removingSinceMs: nowMs });
    },
    async revoke({ credentials }) {
      end(credentials);
    },
    async forget({ edge, cell, credentials }) {
      if (!stored.identities.delete(edge)) return;
      end(credentials);
      leave(stored, cell, edge);
    },
  };
}

function seat(stored: Stored, { identity, config, facts, allFacts }: Enrolment): void {
  const { edge, cell } = identity;
  const order = { version: 0, atMs: null };
  stored.seats.set(seatKey(cell, edge), {
    version: 1,
    progress: null,
    presence: null,
    facts: { facts, ...order },
  });
  stored.allFacts.set(edge, { facts: allFacts, ...order });
  const found = stored.cells.get(cell);
  if (found === undefined) return;
  const row: CellEdge = { name: edge, config, facts, report: null, work: null };
  stored.cells.set(cell, { ...found, edges: new Map(found.edges).set(edge, row) });
}

function leave(stored: Stored, cell: CellId, edge: EdgeName): void {
  stored.seats.delete(seatKey(cell, edge));
  stored.allFacts.delete(edge);
  stored.poolCells.set(cell, Math.max(0, (stored.poolCells.get(cell) ?? 0) - 1));
  const found = stored.cells.get(cell);
  if (found === undefined) return;
  const edges = new Map(found.edges);
  edges.delete(edge);
  stored.cells.set(cell, { ...found, edges });
}

function settings(stored: Stored): EdgeSettings {
  const shown = (cell: CellId, edge: CellEdge) => ({
    ...edge,
    cell,
    version: stored.seats.get(seatKey(cell, edge.name))?.version ?? 0,
    allFacts: stored.allFacts.get(edge.name)?.facts ?? {},
  });
  return {
    async load(cell, name) {
      const edge = stored.cells.get(cell)?.edges.get(name);
      return edge === undefined ? null : shown(cell, edge);
    },
    async listCell(cell, after, limit) {
      const edges = stored.cells.get(cell)?.edges.values() ?? [];
      return pageOf(edges, (edge) => edge.name, after, limit).map((edge) => shown(cell, edge));
    },
    async intents(cell, jobs) {
      const found = stored.cells.get(cell)?.jobs;
      return new Map(
        jobs.flatMap((id) => {
          const intent = found?.get(id)?.intent;
          return intent === undefined ? [] : [[id, intent]];
        }),
      );
    },
    async configure(cell, name, config, seen) {
      const found = stored.seats.get(seatKey(cell, name));
      if (found === undefined || found.version !== seen) return false;
      found.version += 1;
      changeEdge(stored, cell, name, (edge) => ({ ...edge, config }));
      return true;
    },
  };
}
