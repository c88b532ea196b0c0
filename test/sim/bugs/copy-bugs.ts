import type { CellEdge } from '../../../core/model/cell.ts';
import { epochMax } from '../../../core/model/limits.ts';
import { type Bug, withWorks } from './bugs.ts';

/** Above what any world counts to by itself. */
const countedMax = 2 ** 40;

/** Bugs that only show while two are one edge: hosts, or its agent and somebody else. */
export const copyBugs: readonly Bug[] = [
  {
    name: 'doubled-edges-are-given-work',
    sentence: 'an edge of which there are two is given more',
    load: (cell) => ({ ...cell, edges: new Map([...cell.edges].map(asOne)) }),
  },
  {
    name: 'epochs-without-room',
    sentence: 'whoever says that he has applied a document that nobody could have is believed',
    commit: (plan) =>
      withWorks(plan, (_, work) =>
        work.epoch > countedMax ? { ...work, epoch: epochMax + 1 } : work,
      ),
  },
];

function asOne([name, edge]: [CellEdge['name'], CellEdge]): [CellEdge['name'], CellEdge] {
  const { work } = edge;
  if (work?.starts === undefined) return [name, edge];
  return [name, { ...edge, work: { ...work, starts: { ...work.starts, doubledAtMs: null } } }];
}
