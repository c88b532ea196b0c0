import { type Answer, type Call, checkQuery, edgeOfPath } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/edges/{name}/work`: the work document over HTTPS; a reader that has it already gets 304.
 */
export const getWork = { handle };

async function handle(call: Call, deps: Pick<Ports, 'shadows'>): Promise<Answer> {
  checkQuery(call, []);
  const name = edgeOfPath(call);
  const body = (await deps.shadows.readWork(name)) ?? { e: 0, w: {} };
  const epoch = typeof body.e === 'number' ? body.e : 0;
  return { status: 200, headers: { etag: etagOf(epoch, body) }, body };
}
