import type { Cell, CellEdge, EdgeReport } from '../../../core/model/cell.ts';

/** What a pass would see if one of its defences were missing: each must be noticed. */
export type HostileBug = {
  readonly name: string;
  readonly sentence: string;
  readonly load: (cell: Cell) => Cell;
};

export const hostileBugs: readonly HostileBug[] = [
  {
    name: 'polls-are-not-looked-at',
    sentence: 'an edge over HTTPS stays connected after its last contact',
    load: (cell) =>
      withReports(cell, ({ report }) => {
        const { poll: _, ...rest } = report;
        return rest;
      }),
  },
  {
    name: 'starts-are-forgotten',
    sentence: 'nobody remembers which starts of its agent an edge had',
    load: (cell) =>
      withEdges(cell, (edge) => {
        if (edge.work === null) return edge;
        const { starts: _, ...work } = edge.work;
        return { ...edge, work };
      }),
  },
  {
    name: 'claims-are-believed',
    sentence: 'the maximum of the pool does not bind',
    load: (cell) => withEdges(cell, ({ capacityMax: _, ...edge }) => edge),
  },
  {
    name: 'documents-count-as-applied',
    sentence: 'an edge counts as one that applied its document',
    load: (cell) =>
      withReports(cell, ({ report, work }) => {
        const epoch = Math.max(1, work?.epoch ?? 0);
        const progress = { ...(report.progress ?? nothingSaid), epoch };
        return { ...report, progress };
      }),
  },
  {
    name: 'goodbyes-are-ignored',
    sentence: 'an agent that stopped in order keeps what it does not run',
    load: (cell) =>
      withReports(cell, ({ report }) => {
        if (report.progress === null) return report;
        const { goodbye: _, ...progress } = report.progress;
        return { ...report, progress };
      }),
  },
];

const nothingSaid = { boot: '', sequence: null, freePower: 0, jobs: new Map() };

function withEdges(cell: Cell, change: (edge: CellEdge) => CellEdge): Cell {
  const edges = [...cell.edges].map(([name, edge]) => [name, change(edge)] as const);
  return { ...cell, edges: new Map(edges) };
}

function withReports(
  cell: Cell,
  change: (edge: CellEdge & { readonly report: EdgeReport }) => EdgeReport,
): Cell {
  return withEdges(cell, (edge) => {
    const { report } = edge;
    return report === null ? edge : { ...edge, report: change({ ...edge, report }) };
  });
}
