import type { CellEdge } from '../../core/model/cell.ts';
import { cellEdgesMax } from '../../core/model/limits.ts';
import type { CellId, EdgeName } from '../../core/model/names.ts';
import type {
  EdgeEnrolments,
  EdgeIdentities,
  EdgeIdentity,
  EdgeMoves,
  EdgeSettings,
  EdgesStore,
  Enrolment,
  NewCluster,
} from '../../core/ports/edges.ts';
import { capacityMaxOf, changeEdge, pageOf, type Stored, seatKey } from './stored.ts';

/** Edges in memory: who they are, how they come and go, and what their users set. */
export function createMemoryEdges(stored: Stored): EdgesStore {
  return {
    ...identities(stored),
    ...enrolments(stored),
    ...settings(stored),
    ...moves(stored),
  };
}

function identities(stored: Stored): EdgeIdentities {
  const identify = async (edge: EdgeName) => stored.identities.get(edge) ?? null;
  return {
    identify,
    remains: identify,
    async cellsOf(edges) {
      return new Map(
        edges.flatMap((edge) => {
          const cell = stored.identities.get(edge)?.cell;
          return cell === undefined ? [] : [[edge, cell]];
        }),
      );
    },
  };
}

function enrolments(stored: Stored): EdgeEnrolments {
  const ending = new Map<EdgeName, number>();
  const isSame = ({ edge, credentials }: EdgeIdentity) =>
    stored.identities.get(edge)?.credentials.join() === credentials.join();
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
      if (enrolment.cluster !== undefined) settle(stored, edge, enrolment.cluster);
      return 'enrolled';
    },
    async addCredential(identity, hash) {
      if (!isSame(identity)) return null;
      end(identity.credentials.slice(0, -1));
      const next = { ...identity, credentials: [...identity.credentials.slice(-1), hash] };
      keep(next);
      return next;
    },
    async renew(seen, next) {
      if (!isSame(seen)) return false;
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
    async claimEnd(identity, nowMs, untilMs) {
      if (!isSame(identity) || (ending.get(identity.edge) ?? 0) >= nowMs) return false;
      ending.set(identity.edge, untilMs);
      return true;
    },
    async forget(identity) {
      const { edge, cell, credentials } = identity;
      if (!isSame(identity)) return;
      stored.identities.delete(edge);
      ending.delete(edge);
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
    polledAtMs: 0,
    presence: null,
    facts: { facts, ...order },
  });
  stored.allFacts.set(edge, { facts: allFacts, ...order });
  const found = stored.cells.get(cell);
  if (found === undefined) return;
  const max = capacityMaxOf(stored, cell);
  const row: CellEdge = { name: edge, config, facts, report: null, work: null, ...max };
  stored.cells.set(cell, { ...found, edges: new Map(found.edges).set(edge, row) });
}

function settle(stored: Stored, edge: EdgeName, cluster: NewCluster): void {
  const { record, digest, submitToken } = cluster;
  stored.clusters.set(edge, record);
  if (digest !== null) stored.digests.set(edge, digest);
  stored.credentials.set(submitToken.hash, { kind: 'token', token: submitToken });
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
  const factsTimeOf = ({ name }: CellEdge) => {
    const { atMs } = stored.allFacts.get(name) ?? { atMs: null };
    return atMs === null ? {} : { factsAtMs: atMs };
  };
  const shown = (cell: CellId, edge: CellEdge) => ({
    ...edge,
    cell,
    version: stored.seats.get(seatKey(cell, edge.name))?.version ?? 0,
    allFacts: stored.allFacts.get(edge.name)?.facts ?? {},
    ...factsTimeOf(edge),
    cluster: stored.clusters.get(edge.name) ?? null,
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
    async replaceSettings(cell, name, config) {
      const found = stored.seats.get(seatKey(cell, name));
      if (found === undefined) return false;
      found.version = 1;
      changeEdge(stored, cell, name, (edge) => ({ ...edge, config }));
      return true;
    },
  };
}

function moves(stored: Stored): EdgeMoves {
  const { load } = settings(stored);
  return {
    async inCell(cell, name) {
      const edge = await load(cell, name);
      const cellVersion = stored.cells.get(cell)?.meta.version;
      return edge === null || cellVersion === undefined ? null : { edge, cellVersion };
    },
    async move({ identity, to, seen, config, work, nowMs }) {
      const { edge: name, cell, credentials } = identity;
      const left = stored.cells.get(cell);
      const seat = stored.seats.get(seatKey(cell, name));
      const edge = left?.edges.get(name);
      const known = stored.identities.get(name);
      if (left === undefined || seat === undefined || edge === undefined) return 'changed';
      if (left.meta.version !== seen.cellVersion || known?.cell !== cell) return 'changed';
      if (seat.version !== seen.edge.version || known.removingSinceMs !== null) return 'changed';
      if (known.credentials.join() !== credentials.join()) return 'changed';
      const edges = stored.poolCells.get(to) ?? cellEdgesMax;
      if (edges >= cellEdgesMax) return 'full';
      const all = stored.allFacts.get(name);
      leave(stored, cell, name);
      if (all !== undefined) stored.allFacts.set(name, all);
      const after = stored.cells.get(cell)!;
      const meta = { ...after.meta, version: after.meta.version + 1 };
      stored.cells.set(cell, { ...after, meta, tickAtMs: nowMs });
      stored.poolCells.set(to, edges + 1);
      stored.seats.set(seatKey(to, name), { ...seat, version: seat.version + 1 });
      const { capacityMax: _, ...rest } = edge;
      const arrived: CellEdge = { ...rest, config, work, ...capacityMaxOf(stored, to) };
      const found = stored.cells.get(to)!;
      stored.cells.set(to, { ...found, edges: new Map(found.edges).set(name, arrived) });
      stored.identities.set(name, { ...known, cell: to });
      for (const hash of credentials) {
        stored.credentials.set(hash, { kind: 'edge', edge: name, cell: to });
      }
      return 'moved';
    },
  };
}
