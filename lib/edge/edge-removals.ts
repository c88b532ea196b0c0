import { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import { EdgewiseQueue } from '../frame/edgewise-queue.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import { pinnedId } from '../frame/logical-id.ts';
import type { Stage } from '../frame/stage.ts';
import { removalTimeoutSeconds } from '../limits.ts';

/**
 * What makes and removes things and certificates: the function that enrols, and the one that ends
 * edges once they have left their cell. A queue remembers who is on the way out.
 */
export class EdgeRemovals extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly stage: Stage;
      readonly table: EdgewiseTable;
      readonly edgePolicyName: string;
      readonly trustAnchor: string;
      /** Where edges connect; empty for where IoT Core says. */
      readonly mqttEndpoint: string;
      readonly enrol: EdgewiseFunction;
      /** Where the graphs of clusters lie. */
      readonly documents: Bucket;
    },
  ) {
    super(scope, id);
    const { queue } = new EdgewiseQueue(this, 'Leaving', {
      stage: props.stage,
      visibilitySeconds: 6 * removalTimeoutSeconds,
      triesMax: 10,
      deadMeans: 'An edge was removed but its certificate or its name is still there.',
    });
    const finish = new EdgewiseFunction(this, 'Finish', {
      entry: 'api/edge-removal',
      description: 'Removes the certificate, the shadows and the name of edges that left',
      stage: props.stage,
      timeoutSeconds: removalTimeoutSeconds,
      environment: {
        TABLE_NAME: props.table.table.tableName,
        OUTPUTS_BUCKET: props.documents.bucketName,
      },
      alarm: 'errors',
    });
    finish.lambda.addEventSource(
      new SqsEventSource(queue, { batchSize: 5, maxConcurrency: 2, reportBatchItemFailures: true }),
    );
    acceptFinding(
      finish,
      'Serverless-LambdaEventSourceMappingDestination',
      'the queue has a dead-letter queue of its own, which an alarm watches',
    );
    props.table.allowReads(finish);
    props.table.allowWrites(finish);
    finish.allow(['s3:DeleteObject'], [props.documents.arnForObjects('graphs/*')]);
    finish.allow(['s3:ListBucket'], [props.documents.bucketArn]);
    acceptFinding(
      finish,
      `AwsSolutions-IAM5[Resource::<${pinnedId(this, 'Outputs')}.Arn>/graphs/*]`,
      'the documents of edges that left; their names are made at run time',
    );
    props.enrol.lambda.addEnvironment('EDGE_TRUST_ANCHOR', props.trustAnchor);
    props.enrol.lambda.addEnvironment('EDGE_MQTT_ENDPOINT', props.mqttEndpoint);
    for (const fn of [finish, props.enrol]) {
      fn.allow(['sqs:SendMessage'], [queue.queueArn]);
      fn.lambda.addEnvironment('REMOVALS_QUEUE_URL', queue.queueUrl);
      allowRegistry(fn, props.stage, props.edgePolicyName);
    }
  }
}

/** Things and certificates are made at run time, so they can only be named by their kind. */
function allowRegistry(fn: EdgewiseFunction, stage: Stage, edgePolicyName: string): void {
  const stack = Stack.of(fn);
  const arn = (resource: string, name: string): string =>
    stack.formatArn({ service: 'iot', resource, resourceName: name });
  const certificates = arn('cert', '');
  fn.lambda.addEnvironment('EDGE_POLICY', edgePolicyName);
  fn.lambda.addEnvironment('CERTIFICATES_ARN', certificates);
  fn.allow(
    [
      'iot:CreateCertificateFromCsr',
      'iot:DescribeEndpoint',
      'iot:AttachThingPrincipal',
      'iot:DetachThingPrincipal',
    ],
    ['*'],
  );
  const things = `${stage.thingPrefix}*`;
  fn.allow(['iot:CreateThing', 'iot:DeleteThing', 'iot:DeleteThingShadow'], [arn('thing', things)]);
  fn.allow(
    ['iot:AttachPolicy', 'iot:DetachPolicy', 'iot:UpdateCertificate', 'iot:DeleteCertificate'],
    [arn('cert', '*')],
  );
  const arnPrefix = 'Resource::arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>';
  const reasons = {
    'AwsSolutions-IAM5[Resource::*]':
      'these actions know no narrower resource, or none before the certificate exists',
    [`AwsSolutions-IAM5[${arnPrefix}:thing/${things}]`]: 'edges are enrolled at run time',
    [`AwsSolutions-IAM5[${arnPrefix}:cert/*]`]: 'certificates are made at run time',
  };
  for (const [id, reason] of Object.entries(reasons)) acceptFinding(fn, id, reason);
}
