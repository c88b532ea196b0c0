import { isDeepStrictEqual } from 'node:util';
import type { Cell } from '../../core/model/cell.ts';
import type { CellId } from '../../core/model/names.ts';

/**
 * Cells, and the records that the table's stream makes of their rows: whoever listens is told of
 * what passes do not write themselves, as the template filters it. A write that changes nothing
 * makes no record, and neither does a row that goes.
 */
export class StreamedCells extends Map<CellId, Cell> {
  readonly #changed: (cell: CellId) => void;

  constructor(changed: (cell: CellId) => void) {
    super();
    this.#changed = changed;
  }

  override set(id: CellId, cell: Cell): this {
    const before = this.get(id);
    super.set(id, cell);
    if (before !== undefined && isRecorded(before, cell)) this.#changed(id);
    return this;
  }
}

function isRecorded(before: Cell, after: Cell): boolean {
  if (before.tickAtMs !== after.tickAtMs) return true;
  for (const [id, { intent }] of after.jobs)
    if (!isSame(before.jobs.get(id)?.intent, intent)) return true;
  for (const [name, { config, facts, report }] of after.edges) {
    const was = before.edges.get(name);
    if (was === undefined) return true;
    if (!isSame(was.config, config) || !isSame(was.facts, facts)) return true;
    if (!isSame(was.report, report)) return true;
  }
  return false;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
