import { seesPool } from '../../../core/caller.ts';
import { type EdgeLampName, edgeLampNames, isLit } from '../../../core/edge-state.ts';
import { listRowsExaminedMax } from '../../../core/limits.ts';
import {
  type CellId,
  compareCells,
  type EdgeName,
  isName,
  parseCellId,
  parseEdgeName,
} from '../../../core/names.ts';
import type { StoredEdge } from '../../../core/ports/edges.ts';
import type { EdgeAnswer } from '../../../core/wire/edge-answer.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, badQuery, type Call, callerOf, checkQuery } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import { hasLabels, type LabelFilter, readLabels } from '../http/label-query.ts';
import { pageAnswer } from '../http/page.ts';
import type { Ports } from '../ports.ts';
import { edgeViews } from '../views/visible-edge.ts';

/**
 * `GET /v1/edges`: by cell, then by name; filtered by any lamp, by pool and by label. Walks the
 * cells, each with one consistent query a page; the cursor names the last edge looked at.
 */
export type EdgeFilter = {
  readonly pool: string | null;
  readonly lamp: EdgeLampName | null;
  readonly labels: LabelFilter;
};

export type EdgePage = { readonly items: readonly EdgeAnswer[]; readonly next: string | null };

export async function listEdges(
  call: Call,
  deps: Pick<Ports, 'edges' | 'pools' | 'jobs'>,
): Promise<Answer> {
  checkQuery(call, ['state', 'pool', 'label', 'limit', 'cursor']);
  const filter = readFilter(call);
  const position = readCursor(call, 'edges', /^\S+ \S+$/);
  const page = await pageOfEdges(call, deps, filter, position, readLimit(call));
  const nextCursor = page.next === null ? null : encodeCursor(call, 'edges', page.next);
  const cursorOf = ({ cell, name }: EdgeAnswer) => encodeCursor(call, 'edges', `${cell} ${name}`);
  return pageAnswer(page.items, cursorOf, nextCursor);
}

function readFilter(call: Call): EdgeFilter {
  const { state, pool } = call.query;
  if (pool !== undefined && !isName(pool)) throw badQuery('pool', 'This cannot be a name.');
  if (state !== undefined && !(edgeLampNames as readonly string[]).includes(state)) {
    throw badQuery('state', `This must be one of ${edgeLampNames.join(', ')}.`);
  }
  return {
    pool: pool ?? null,
    lamp: (state as EdgeLampName | undefined) ?? null,
    labels: readLabels(call),
  };
}

export async function pageOfEdges(
  call: Call,
  deps: Pick<Ports, 'edges' | 'pools' | 'jobs'>,
  filter: EdgeFilter,
  start: string | null,
  limit: number,
): Promise<EdgePage> {
  const from = start === null ? null : placeOf(start);
  const cells = (await cellsOf(call, deps, filter)).filter(
    (cell) => from === null || compareCells(cell, from.cell) >= 0,
  );
  const items: EdgeAnswer[] = [];
  let examined = 0;
  for (const cell of cells) {
    for (let after = cell === from?.cell ? from.name : null; ; ) {
      const wanted = limit - items.length;
      const edges = await deps.edges.listCell(cell, after, wanted + 1);
      const used = edges.slice(0, wanted);
      items.push(
        ...(await edgeViews(
          deps,
          used.filter((edge) => passes(edge, filter, call.nowMs)),
        )),
      );
      examined += used.length;
      after = used.at(-1)?.name ?? after;
      if (edges.length <= wanted) break;
      if (items.length >= limit || examined >= listRowsExaminedMax) {
        return { items, next: `${cell} ${after}` };
      }
    }
    if (items.length >= limit) return lastPage(deps, cells, cell, items);
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

/** The page is full at the end of a cell: there is more only if a later cell has an edge. */
async function lastPage(
  deps: Pick<Ports, 'edges'>,
  cells: readonly CellId[],
  cell: CellId,
  items: readonly EdgeAnswer[],
): Promise<EdgePage> {
  for (const later of cells.slice(cells.indexOf(cell) + 1)) {
    const [first] = await deps.edges.listCell(later, null, 1);
    if (first !== undefined) return { items, next: `${cell} ${endOfNames}` };
  }
  return { items, next: null };
}

/** Sorts behind every name of at most 64 characters. */
const endOfNames = 'z'.repeat(64);

async function cellsOf(
  call: Call,
  deps: Pick<Ports, 'pools'>,
  filter: EdgeFilter,
): Promise<readonly CellId[]> {
  const caller = callerOf(call);
  const limited = caller.kind === 'token' ? caller.pool : null;
  if (filter.pool !== null && !seesPool(caller, filter.pool)) throw new ProblemError('forbidden');
  const pool = filter.pool ?? limited;
  if (pool === null) return deps.pools.allCells();
  const { cells } = await deps.pools.find(pool);
  return cells.map((cell) => cell.id).sort(compareCells);
}

function passes(edge: StoredEdge, filter: EdgeFilter, nowMs: number): boolean {
  if (filter.lamp !== null && !isLit(edge, filter.lamp, nowMs)) return false;
  const { config, facts } = edge;
  return hasLabels(filter.labels, (key) => config.labels[key] ?? facts?.labels[key]);
}
