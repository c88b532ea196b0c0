/** AWS::S3::Bucket: a bucket; what rules its objects' later life is not simulated. */
import { physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { bucketNameMax } from '../../limits.ts';
import type { ResourceType } from '../../world.ts';

export const s3Bucket: ResourceType = {
  used: ['BucketName'],
  ignored: {
    BucketEncryption: 'the state directory is not encrypted',
    PublicAccessBlockConfiguration: 'the stand-in listens on this machine only',
    OwnershipControls: 'there is one account only',
    LifecycleConfiguration: 'objects stay until the state directory is deleted',
    VersioningConfiguration: 'the newest version is kept',
    LoggingConfiguration: 'access is not logged',
    CorsConfiguration: 'browsers reach buckets through the dashboard only',
    Tags: 'tags do nothing',
  },
  create: ({ logicalId, path, properties, world }) => {
    const name =
      readerOf(properties, path).optionalText('BucketName') ??
      physicalName(world.account, logicalId, bucketNameMax).toLowerCase();
    if (!world.queues.buckets.hasBucket(name)) world.queues.buckets.createBucket(name);
    const domain = `${name}.s3.amazonaws.com`;
    return {
      ref: name,
      attributes: {
        Arn: `arn:aws:s3:::${name}`,
        DomainName: domain,
        RegionalDomainName: `${name}.s3.${world.account.region}.amazonaws.com`,
        WebsiteURL: `${world.gatewayUrl}/${name}`,
      },
    };
  },
};
