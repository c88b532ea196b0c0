/** AWS IoT over HTTP: asks the caller's role, then hands the request to the IoT half. */

import { sendRestError } from '../../engine/gateway/answer.ts';
import { fromTemplate, type GatewayService } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { IotService } from './service.ts';

export function iotGateway(
  kind: 'iotdata' | 'iot',
  roles: RoleBook,
  iot: IotService,
): GatewayService {
  const offer = { operations: iot.operationsOf(kind), instead: fromTemplate };
  return {
    ...offer,
    targets: [],
    handle: async (request, res) => {
      if (!iot.knows(kind, request.message)) return refuseOperation(request, res, offer);
      const access = iot.actionOf(kind, request.message);
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) {
        const type = kind === 'iot' ? 'AccessDeniedException' : 'ForbiddenException';
        return sendRestError(res, 403, type, sentence);
      }
      const handle = kind === 'iot' ? iot.handleControl : iot.handleData;
      await handle(request.message, res, request.body);
    },
  };
}
