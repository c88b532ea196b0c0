import { seesPool } from '../../../core/caller.ts';
import { poolsMax } from '../../../core/limits.ts';
import { compareCells } from '../../../core/names.ts';
import { newPool, type PoolWithCells, type StoredPool } from '../../../core/ports/pools.ts';
import { type PoolBody, poolBodySchema } from '../../../core/wire/fleet-body.ts';
import { notFound, ProblemError } from '../../../core/wire/problem.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, callerOf, checkQuery, newNameOf, paramOf } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import { checkIfMatch, tagged, wantsAbsent } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';
import { timeOrNull } from '../views/job-view.ts';

/** `GET /v1/pools`, `GET` and `PUT /v1/pools/{name}`: what pools there are, with their cells. */
export async function listPools(call: Call, deps: Pick<Ports, 'pools'>): Promise<Answer> {
  checkQuery(call, ['limit', 'cursor']);
  const limit = readLimit(call);
  const position = readCursor(call, 'pools', /^[a-z0-9-]{1,64}$/) ?? '';
  const caller = callerOf(call);
  const names = (await deps.pools.list()).filter((it) => it > position && seesPool(caller, it));
  const page = names.slice(0, limit);
  const found = await Promise.all(page.map((name) => deps.pools.find(name)));
  const items = found.map((it, at) => poolView(page[at]!, it));
  const last = page.at(-1);
  const more = names.length > limit && last !== undefined;
  return {
    status: 200,
    body: { items, nextCursor: more ? encodeCursor(call, 'pools', last) : null },
  };
}

export async function getPool(call: Call, deps: Pick<Ports, 'pools'>): Promise<Answer> {
  checkQuery(call, []);
  const name = paramOf(call, 'name', 'such pool');
  const found = await deps.pools.find(name);
  if (!exists(found) || !seesPool(callerOf(call), name)) throw notFound(`pool "${name}"`);
  return tagged(200, found.pool?.version ?? 0, poolView(name, found));
}

export async function putPool(call: Call, deps: Pick<Ports, 'pools' | 'audit'>): Promise<Answer> {
  checkQuery(call, []);
  const name = newNameOf(call, 'name');
  const body = readBody(call, poolBodySchema);
  if (!seesPool(callerOf(call), name)) throw new ProblemError('forbidden');
  for (;;) {
    const found = await deps.pools.find(name);
    const before = found.pool;
    if (before !== null && wantsAbsent(call)) throw new ProblemError('precondition-failed');
    if (before === null) await checkRoom(call, deps);
    else checkIfMatch(call, before.version);
    const next = changed(before ?? newPool(name, call.nowMs), body);
    if (!(await deps.pools.put(next, before === null ? null : before.version))) continue;
    await audit(call, deps, before === null ? 'pool-created' : 'pool-changed', name);
    return tagged(
      before === null ? 201 : 200,
      next.version,
      poolView(name, { ...found, pool: next }),
    );
  }
}

async function checkRoom(call: Call, deps: Pick<Ports, 'pools'>): Promise<void> {
  if (call.headers['if-match'] !== undefined) throw new ProblemError('precondition-failed');
  if ((await deps.pools.list()).length >= poolsMax) {
    throw new ProblemError('limit-reached', `There are ${poolsMax} pools, which is the most.`);
  }
}

const changed = (pool: StoredPool, body: PoolBody): StoredPool => ({
  ...pool,
  ...body,
  version: pool.version + 1,
});

const exists = (found: PoolWithCells): boolean => found.pool !== null || found.cells.length > 0;

function poolView(name: string, found: PoolWithCells) {
  return {
    name,
    description: found.pool?.description ?? '',
    policy: found.pool?.policy ?? 'spread',
    cells: found.cells.map((cell) => cell.id).sort(compareCells),
    edges: found.cells.reduce((sum, cell) => sum + cell.edges, 0),
    createdAt: timeOrNull(found.pool?.createdAtMs ?? null),
  };
}
