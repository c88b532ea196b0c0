import { applyPlan } from '../../core/apply-plan.ts';
import type { Cell } from '../../core/cell.ts';
import type { CellId } from '../../core/names.ts';
import type { CellStore } from '../../core/ports/cells.ts';

/**
 * Cells in memory, with the same promise as the table: of two commits that saw one version, one
 * wins.
 */
export function createMemoryCellStore(): CellStore & { put(cell: Cell): void } {
  const cells = new Map<CellId, Cell>();
  return {
    put(cell) {
      cells.set(cell.meta.id, structuredClone(cell));
    },
    async load(id) {
      return structuredClone(cells.get(id) ?? null);
    },
    async commit(plan) {
      if (plan.meta === null) return 'committed';
      const cell = cells.get(plan.meta.id);
      if (cell === undefined || cell.meta.version !== plan.seenVersion) return 'conflict';
      cells.set(plan.meta.id, structuredClone(applyPlan(cell, plan)));
      return 'committed';
    },
  };
}
