import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { keptDays } from '../../core/files/limits.ts';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { pinLogicalId } from '../frame/logical-id.ts';
import type { Stage } from '../frame/stage.ts';
import {
  filesKeptDays,
  graphUploadsKeptDays,
  outputsKeptDays,
  unfinishedUploadsKeptDays,
} from '../limits.ts';

/**
 * Where the kept outputs of chunks lie, for a month, the files of jobs, for a quarter, what chunks
 * leave, for as long as their job says, and the graphs of clusters, as long as they are there.
 */
export class OutputsBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: { readonly stage: Stage }) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        { prefix: 'outputs/', expiration: Duration.days(outputsKeptDays) },
        { prefix: 'graph-uploads/', expiration: Duration.days(graphUploadsKeptDays) },
        { prefix: 'files/', expiration: Duration.days(filesKeptDays) },
        // One day more: a job that goes on may name a file that was stored on the day before.
        ...keptDays.map((days) => ({
          prefix: `results/${days}-`,
          expiration: Duration.days(days + 1),
        })),
        { abortIncompleteMultipartUploadAfter: Duration.days(unfinishedUploadsKeptDays) },
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
