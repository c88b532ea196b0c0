/** AWS::S3::Bucket: a bucket; what rules its objects' later life is not simulated. */
import { physicalName } from '../../account.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { bucketNameMax } from '../../limits.ts';
import type { ResourceType, World } from '../../world.ts';
import { lifecycleXml } from './lifecycle.ts';

export const s3Bucket: ResourceType = {
  used: ['BucketName', 'LifecycleConfiguration'],
  ignored: {
    BucketEncryption: 'the state directory is not encrypted',
    PublicAccessBlockConfiguration: 'the stand-in listens on this machine only',
    OwnershipControls: 'there is one account only',
    VersioningConfiguration: 'the newest version is kept',
    LoggingConfiguration: 'access is not logged',
    CorsConfiguration: 'browsers reach buckets through the dashboard only',
    Tags: 'tags do nothing',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name =
      reader.optionalText('BucketName') ??
      physicalName(world.account, logicalId, bucketNameMax).toLowerCase();
    if (!world.queues.buckets.hasBucket(name)) world.queues.buckets.createBucket(name);
    setLifecycle(world, name, path, reader.optionalObject('LifecycleConfiguration'));
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

/** What the template says is what the bucket answers; nothing is deleted by it. */
function setLifecycle(
  world: World,
  bucket: string,
  path: string,
  configuration: Reader | undefined,
): void {
  const { buckets } = world.queues;
  if (configuration === undefined) {
    buckets.deleteBucketLifecycleConfiguration(bucket);
    return;
  }
  buckets.putBucketLifecycleConfiguration(bucket, lifecycleXml(configuration));
  world.ignored.push({
    path: `${path}.LifecycleConfiguration`,
    reason: 'the bucket answers with it, and objects stay until the state directory is deleted',
  });
}
