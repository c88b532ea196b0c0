/** STS GetCallerIdentity: who the access key belongs to. It needs no permission on AWS either. */
import { accountId } from '../../account.ts';
import { sendQueryError, sendXml } from '../../engine/gateway/answer.ts';
import type { GatewayService } from '../../engine/gateway/service.ts';
import type { RoleBook } from './roles.ts';

export function stsService(roles: RoleBook): GatewayService {
  return {
    handle: (request, res) => {
      const form = new URLSearchParams(request.body.toString());
      const action = form.get('Action') ?? '';
      if (action !== 'GetCallerIdentity') {
        const message = `Could not find operation ${action} for version 2011-06-15`;
        return sendQueryError(res, 400, 'InvalidAction', message);
      }
      const caller = roles.callerOf(request.accessKeyId);
      sendXml(
        res,
        200,
        '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">' +
          `<GetCallerIdentityResult><Arn>${caller.arn}</Arn><UserId>${caller.userId}</UserId>` +
          `<Account>${accountId}</Account></GetCallerIdentityResult>` +
          '<ResponseMetadata><RequestId>local</RequestId></ResponseMetadata>' +
          '</GetCallerIdentityResponse>',
      );
    },
  };
}
