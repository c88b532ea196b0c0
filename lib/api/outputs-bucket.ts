import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { pinLogicalId } from '../frame/logical-id.ts';
import type { Stage } from '../frame/stage.ts';

const keptDays = 30;

/** Where the kept outputs of chunks lie, for a month. */
export class OutputsBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: { readonly stage: Stage }) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        {
          expiration: Duration.days(keptDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: props.stage.removalPolicy,
    });
    pinLogicalId(this.bucket, 'Outputs', 'a new bucket would lose the outputs that jobs point to');
    acceptFinding(
      this.bucket,
      'AwsSolutions-S1',
      'only the functions of this stack reach it; each request is in the log of the API',
    );
  }
}
