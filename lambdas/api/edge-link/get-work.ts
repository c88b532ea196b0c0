import { type Answer, type Call, callerOf, checkQuery, edgeOfPath } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Ports } from '../ports.ts';
import { noteContact } from './note-contact.ts';

/**
 * `GET /v1/edges/{name}/work`: the work document over HTTPS; a reader that has it already gets 304.
 * That the edge asks is a sign of life, written down now and then.
 */
export const getWork = { handle };

type Needed = Pick<Ports, 'shadows' | 'inventory' | 'log'>;

async function handle(call: Call, deps: Needed): Promise<Answer> {
  checkQuery(call, []);
  const name = edgeOfPath(call);
  const [work] = await Promise.all([
    deps.shadows.readWork(name),
    noteContact(callerOf(call), call.nowMs, deps),
  ]);
  const body = work ?? { e: 0, w: {} };
  const epoch = typeof body.e === 'number' ? body.e : 0;
  return { status: 200, headers: { etag: etagOf(epoch, body) }, body };
}
