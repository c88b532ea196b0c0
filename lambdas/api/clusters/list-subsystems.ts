import { namePattern } from '../../../core/model/names.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import { checkQuery, edgeOfPath } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOfRest } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { subsystemView } from './put-subsystem.ts';

/** `GET /v1/edges/{name}/subsystems`: by name; there are few. */
export const listSubsystems = defineOperation({
  name: 'listSubsystems',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    const paging = readPaging(call, { name: 'subsystems', position: namePattern });
    return { name: edgeOfPath(call), paging };
  },
  run: async ({ name, paging }, { caller }, deps: Pick<Ports, 'edges'>) => {
    const { cluster } = await visibleEdge(name, caller, deps);
    const { position } = paging;
    const rest = (cluster?.subsystems ?? [])
      .filter((it) => position === null || it.name > position)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(subsystemView);
    return pageOfRest(paging, rest, (it) => it.name);
  },
  answer: pageAnswer,
});
