import { visibleEdge } from '../edges/view/visible-edge.ts';
import { checkQuery, edgeOfPath } from '../http/call.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { subsystemView } from './put-subsystem.ts';

/** `GET /v1/edges/{name}/subsystems`: all of them; there are few. */
export const listSubsystems = defineOperation({
  name: 'listSubsystems',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call) };
  },
  run: async ({ name }, { caller }, deps: Pick<Ports, 'edges'>) => {
    const { cluster } = await visibleEdge(name, caller, deps);
    return { items: (cluster?.subsystems ?? []).map(subsystemView), nextCursor: null };
  },
  answer: pageAnswer,
});
