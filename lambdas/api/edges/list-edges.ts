import type { EdgeAnswer } from '../../../core/contract/edge-answer.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, seesPool } from '../../../core/model/caller.ts';
import { hasStatus } from '../../../core/model/edge-state.ts';
import { type EdgeStatusName, edgeStatusNames } from '../../../core/model/edge-status.ts';
import { listRowsExaminedMax } from '../../../core/model/limits.ts';
import {
  type CellId,
  compareCells,
  type EdgeName,
  isName,
  parseCellId,
  parseEdgeName,
} from '../../../core/model/names.ts';
import type { StoredEdge } from '../../../core/ports/edges.ts';
import { labelOf } from '../../../core/scheduler/matching.ts';
import { laterCellsMax, queryRowsMin } from '../../limits.ts';
import { badQuery, checkQuery, valuesOf } from '../http/call.ts';
import { type AskedPage, askedPage, type Paging, pagingOf } from '../http/cursor.ts';
import { hasLabels, type LabelFilter, labelsOf } from '../http/label-query.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { edgeViews } from './view/visible-edge.ts';

/**
 * `GET /v1/edges`: by cell, then by name; filtered by status, by pool and by label. Walks the
 * cells, each with one consistent query a page; the cursor names the last edge looked at.
 */
export type EdgeFilter = {
  readonly pool: string | null;
  readonly status: EdgeStatusName | null;
  readonly labels: LabelFilter;
};

export type EdgesAsked = { readonly filter: EdgeFilter; readonly paging: Paging };

export const listEdges = defineOperation({
  name: 'listEdges',
  read: (call): EdgesAsked => {
    checkQuery(call, ['state', 'pool', 'label', 'limit', 'cursor']);
    const { state = null, pool = null } = call.query;
    return edgesAsked({ state, pool, label: valuesOf(call, 'label') }, askedPage(call));
  },
  run: async ({ filter, paging }, context, deps: Pick<Ports, 'edges' | 'pools'>) => {
    const { items, next } = await pageOfEdges(context, deps, filter, paging);
    return pageOf(paging, items, ({ cell, name }) => `${cell} ${name}`, next);
  },
  answer: pageAnswer,
});

/** The words of a filter as they were given, each of which may make no sense. */
type FilterWords = Readonly<Record<'state' | 'pool', string | null>> & {
  readonly label: readonly string[];
};

export function edgesAsked(words: FilterWords, page: AskedPage): EdgesAsked {
  const { state, pool, label } = words;
  if (pool !== null && !isName(pool)) throw badQuery('pool', 'This cannot be a name.');
  const status = edgeStatusNames.find((name) => name === state) ?? null;
  if (status === null && state !== null) {
    throw badQuery('state', `This must be one of ${edgeStatusNames.join(', ')}.`);
  }
  return {
    filter: { pool, status, labels: labelsOf(label) },
    paging: pagingOf({ name: 'edges', position: /^\S+ \S+$/ }, words, page),
  };
}

type EdgePage = { readonly items: readonly EdgeAnswer[]; readonly next: string | null };

async function pageOfEdges(
  { caller, nowMs }: Context,
  deps: Pick<Ports, 'edges' | 'pools'>,
  filter: EdgeFilter,
  { position: start, limit }: Paging,
): Promise<EdgePage> {
  const from = start === null ? null : placeOf(start);
  const cells = (await cellsOf(caller, deps, filter)).filter(
    (cell) => from === null || compareCells(cell, from.cell) >= 0,
  );
  const items: EdgeAnswer[] = [];
  let examined = 0;
  for (const [at, cell] of cells.entries()) {
    let after = cell === from?.cell ? from.name : null;
    do {
      const wanted = limit - items.length;
      const edges = await deps.edges.listCell(cell, after, wanted + 1);
      const used = edges.slice(0, wanted);
      items.push(
        ...(await edgeViews(
          deps,
          used.filter((edge) => passes(edge, filter, nowMs)),
          nowMs,
        )),
      );
      examined += Math.max(queryRowsMin, used.length);
      after = used.at(-1)?.name ?? after;
      if (edges.length <= wanted) break;
      if (items.length >= limit || examined >= listRowsExaminedMax) {
        return { items, next: `${cell} ${after}` };
      }
    } while (examined < listRowsExaminedMax);
    if (items.length >= limit) return lastPage(deps, cells, cell, items);
    const hasMore = at < cells.length - 1;
    if (hasMore && examined >= listRowsExaminedMax) return { items, next: endOfCell(cell) };
  }
  return { items, next: null };
}

/** The last edge of the page before: `default.0 edge-1`. */
function placeOf(position: string): { readonly cell: CellId; readonly name: EdgeName } {
  const [before = '', after = ''] = position.split(' ');
  const cell = parseCellId(before);
  const name = parseEdgeName(after);
  if (cell === null || name === null) throw new ProblemError('invalid-cursor');
  return { cell, name };
}

/**
 * The page is full at the end of a cell: there is more only if a later cell has an edge. That is
 * looked for in a few; then the next page, which may be empty, looks further.
 */
async function lastPage(
  deps: Pick<Ports, 'edges'>,
  cells: readonly CellId[],
  cell: CellId,
  items: readonly EdgeAnswer[],
): Promise<EdgePage> {
  const rest = cells.slice(cells.indexOf(cell) + 1);
  for (const later of rest.slice(0, laterCellsMax)) {
    const [first] = await deps.edges.listCell(later, null, 1);
    if (first !== undefined) return { items, next: endOfCell(cell) };
  }
  return { items, next: rest.length > laterCellsMax ? endOfCell(cell) : null };
}

/** Sorts behind every name of at most 64 characters. */
const endOfNames = 'z'.repeat(64);
const endOfCell = (cell: CellId): string => `${cell} ${endOfNames}`;

async function cellsOf(
  caller: Caller,
  deps: Pick<Ports, 'pools'>,
  filter: EdgeFilter,
): Promise<readonly CellId[]> {
  const limited = caller.kind === 'edge' ? null : caller.pool;
  if (filter.pool !== null && !seesPool(caller, filter.pool)) throw new ProblemError('forbidden');
  const pool = filter.pool ?? limited;
  if (pool === null) return deps.pools.allCells();
  const { cells } = await deps.pools.find(pool);
  return cells.map((cell) => cell.id).sort(compareCells);
}

function passes(edge: StoredEdge, filter: EdgeFilter, nowMs: number): boolean {
  if (filter.status !== null && !hasStatus(edge, filter.status, nowMs)) return false;
  const { config, facts } = edge;
  return hasLabels(filter.labels, (key) => labelOf({ config, facts }, key));
}
