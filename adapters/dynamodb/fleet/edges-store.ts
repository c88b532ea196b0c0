import { cellIdOf } from '../../../core/model/names.ts';
import type { EdgeIdentities, EdgesStore } from '../../../core/ports/edges.ts';
import { edgeOfPartition, pointerKey } from '../keys.ts';
import { text } from '../rows/row-values.ts';
import { decodeIdentity, decodeRemains } from '../rows/rows-identity.ts';
import { readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import type { Table } from '../table.ts';
import { createEdgeEnrolments } from './edge-enrolments.ts';
import { createEdgeMoves } from './edge-moves.ts';
import { createEdgeSettings } from './edge-settings.ts';

/** All of an edge: who it is, how it comes and goes, and what its users set. */
export function createEdgesStore(table: Table): EdgesStore {
  return {
    ...createEdgeIdentities(table),
    ...createEdgeEnrolments(table),
    ...createEdgeSettings(table),
    ...createEdgeMoves(table),
  };
}

function createEdgeIdentities(table: Table): EdgeIdentities {
  return {
    async identify(edge) {
      const row = await table.get(pointerKey(edge));
      return row === null ? null : readableOrReported(table, row, (it) => decodeIdentity(edge, it));
    },
    async remains(edge) {
      const row = await table.get(pointerKey(edge));
      return row === null ? null : readableOrReported(table, row, (it) => decodeRemains(edge, it));
    },
    async cellsOf(edges) {
      const rows = await table.getMany([...new Set(edges)].map(pointerKey));
      return new Map(
        readableRows(table, rows, ({ pk, cell }) => {
          return [edgeOfPartition(pk), cellIdOf(text(cell))] as const;
        }),
      );
    },
  };
}
