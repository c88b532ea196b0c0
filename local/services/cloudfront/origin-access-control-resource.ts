/**
 * AWS::CloudFront::OriginAccessControl: the distribution signs its requests to a bucket; here it
 * always does.
 */
import { stableToken } from '../../account.ts';
import type { ResourceType } from '../../world.ts';

export const originAccessControl: ResourceType = {
  used: ['OriginAccessControlConfig'],
  ignored: {},
  create: ({ logicalId }) => {
    const id = stableToken(logicalId, 14);
    return { ref: id, attributes: { Id: id } };
  },
};
