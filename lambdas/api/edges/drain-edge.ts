import { drainBodySchema } from '../../../core/wire/edge-body.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readOptionalBody } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';
import { edgeViews } from '../views/visible-edge.ts';
import { configureEdge } from './configure-edge.ts';

/**
 * `POST /v1/edges/{name}/drain`: no new work; what has not begun moves at once, what runs has until
 * the deadline.
 */
export async function drainEdge(
  call: Call,
  deps: Pick<Ports, 'edges' | 'jobs' | 'audit'>,
): Promise<Answer> {
  checkQuery(call, []);
  const body = readOptionalBody(call, drainBodySchema);
  const seconds = body.deadlineSeconds;
  const deadlineAtMs = seconds === null ? null : call.nowMs + seconds * 1_000;
  const { reason } = body;
  const edge = await configureEdge(call, deps, (config) => ({
    ...config,
    cordoned: config.cordoned ?? { reason, sinceMs: call.nowMs },
    drain: { reason, deadlineAtMs },
  }));
  await audit(call, deps, 'edge-drained', edge.name);
  const [view] = await edgeViews(deps, [edge]);
  return tagged(202, edge.version, view);
}
