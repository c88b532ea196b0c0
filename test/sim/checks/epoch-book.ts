import type { Cell } from '../../../core/model/cell.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import { must } from './truth.ts';

/**
 * An edge hears only what was committed: a document with an epoch that no commit ever gave it
 * would have it run what nobody knows of. Also a table that was restored to an earlier time has
 * given the epochs that came after it.
 */
export type EpochBook = {
  committed(after: Cell): void;
  /** A document of work is about to be written. */
  written(edge: EdgeName, epoch: number): void;
};

export function createEpochBook(): EpochBook {
  const given = new Map<EdgeName, number>();
  return {
    committed({ edges }) {
      for (const [name, { work }] of edges) {
        given.set(name, Math.max(given.get(name) ?? 0, work?.epoch ?? 0));
      }
    },
    written(edge, epoch) {
      const last = given.get(edge) ?? 0;
      must(epoch <= last, () => `${edge} hears of epoch ${epoch}, and ${last} was its last commit`);
    },
  };
}
