import { seesQueue } from '../../../core/caller.ts';
import { queueDefaults } from '../../../core/cell.ts';
import { queuesMax } from '../../../core/limits.ts';
import type { StoredQueue } from '../../../core/ports/pools.ts';
import { queueBodySchema } from '../../../core/wire/fleet-body.ts';
import { notFound, ProblemError } from '../../../core/wire/problem.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, callerOf, checkQuery, newNameOf, paramOf } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import { checkIfMatch, tagged, wantsAbsent } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/queues`, `GET` and `PUT /v1/queues/{name}`: how queues share the fleet. `default` is
 * always there. A queue goes through all pools, so who is limited to a pool changes none.
 */
const defaultQueue: StoredQueue = { name: 'default', ...queueDefaults, version: 0 };

export async function listQueues(call: Call, deps: Pick<Ports, 'queues'>): Promise<Answer> {
  checkQuery(call, ['limit', 'cursor']);
  const limit = readLimit(call);
  const position = readCursor(call, 'queues', /^[a-z0-9-]{1,64}$/) ?? '';
  const stored = await deps.queues.list();
  const known = stored.some((it) => it.name === 'default') ? stored : [...stored, defaultQueue];
  const caller = callerOf(call);
  const queues = known
    .filter((it) => it.name > position && seesQueue(caller, it.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const items = queues.slice(0, limit).map(queueView);
  const last = items.at(-1);
  const more = queues.length > limit && last !== undefined;
  const nextCursor = more ? encodeCursor(call, 'queues', last.name) : null;
  return { status: 200, body: { items, nextCursor } };
}

export async function getQueue(call: Call, deps: Pick<Ports, 'queues'>): Promise<Answer> {
  checkQuery(call, []);
  const name = paramOf(call, 'name', 'such queue');
  const queue = await findQueue(deps, name);
  if (queue === null || !seesQueue(callerOf(call), name)) throw notFound(`queue "${name}"`);
  return tagged(200, queue.version, queueView(queue));
}

export async function putQueue(call: Call, deps: Pick<Ports, 'queues' | 'audit'>): Promise<Answer> {
  checkQuery(call, []);
  const name = newNameOf(call, 'name');
  const body = readBody(call, queueBodySchema);
  const caller = callerOf(call);
  if (!seesQueue(caller, name)) throw new ProblemError('forbidden');
  if (caller.kind === 'token' && caller.pool !== null) {
    throw new ProblemError('forbidden', 'Queues are of all pools; this token is limited to one.');
  }
  for (;;) {
    const stored = await deps.queues.find(name);
    const before = stored ?? (name === 'default' ? defaultQueue : null);
    if (before !== null && wantsAbsent(call)) throw new ProblemError('precondition-failed');
    if (before === null) await checkRoom(call, deps);
    else checkIfMatch(call, before.version);
    const next = { name, ...body, version: (before?.version ?? 0) + 1 };
    if (!(await deps.queues.put(next, stored === null ? null : stored.version))) continue;
    await audit(call, deps, before === null ? 'queue-created' : 'queue-changed', name);
    return tagged(before === null ? 201 : 200, next.version, queueView(next));
  }
}

async function findQueue(deps: Pick<Ports, 'queues'>, name: string): Promise<StoredQueue | null> {
  return (await deps.queues.find(name)) ?? (name === 'default' ? defaultQueue : null);
}

async function checkRoom(call: Call, deps: Pick<Ports, 'queues'>): Promise<void> {
  if (call.headers['if-match'] !== undefined) throw new ProblemError('precondition-failed');
  if ((await deps.queues.list()).length >= queuesMax) {
    throw new ProblemError('limit-reached', `There are ${queuesMax} queues, which is the most.`);
  }
}

function queueView({ name, weight, strict, quota }: StoredQueue) {
  return { name, weight, strict, quota };
}
