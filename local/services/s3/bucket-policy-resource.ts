/** AWS::S3::BucketPolicy: who may use a bucket besides the roles that may. */
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const s3BucketPolicy: ResourceType = {
  used: ['Bucket', 'PolicyDocument'],
  ignored: {},
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const document = reader.raw.PolicyDocument ?? null;
    const arn = `arn:aws:s3:::${reader.text('Bucket')}`;
    world.roles.addResourcePolicy(arn, document, `${path}.PolicyDocument`);
    return { ref: logicalId, attributes: {} };
  },
};
