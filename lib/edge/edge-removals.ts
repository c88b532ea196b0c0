import { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import { EdgewiseQueue } from '../frame/edgewise-queue.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';

const timeoutSeconds = 30;

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
      readonly enrol: EdgewiseFunction;
    },
  ) {
    super(scope, id);
    const { queue } = new EdgewiseQueue(this, 'Leaving', {
      stage: props.stage,
      visibilitySeconds: 6 * timeoutSeconds,
      triesMax: 10,
      deadMeans: 'An edge was removed but its certificate or its name is still there.',
    });
    const finish = new EdgewiseFunction(this, 'Finish', {
      entry: 'api/edge-removal',
      description: 'Removes the certificate, the shadows and the name of edges that left',
      stage: props.stage,
      timeoutSeconds,
      environment: { TABLE_NAME: props.table.table.tableName },
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
    props.enrol.lambda.addEnvironment('EDGE_TRUST_ANCHOR', props.trustAnchor);
    for (const fn of [finish, props.enrol]) {
      fn.allow(['sqs:SendMessage'], [queue.queueArn]);
      fn.lambda.addEnvironment('REMOVALS_QUEUE_URL', queue.queueUrl);
      allowRegistry(fn, props.edgePolicyName);
    }
  }
}

/** Things and certificates are made at run time, so they can only be named by their kind. */
function allowRegistry(fn: EdgewiseFunction, edgePolicyName: string): void {
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
  fn.allow(['iot:CreateThing', 'iot:DeleteThing', 'iot:DeleteThingShadow'], [arn('thing', '*')]);
  fn.allow(
    ['iot:AttachPolicy', 'iot:DetachPolicy', 'iot:UpdateCertificate', 'iot:DeleteCertificate'],
    [arn('cert', '*')],
  );
  const arnPrefix = 'Resource::arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>';
  const reasons = {
    'AwsSolutions-IAM5[Resource::*]':
      'these actions know no narrower resource, or none before the certificate exists',
    [`AwsSolutions-IAM5[${arnPrefix}:thing/*]`]: 'edges are enrolled at run time',
    [`AwsSolutions-IAM5[${arnPrefix}:cert/*]`]: 'certificates are made at run time',
  };
  for (const [id, reason] of Object.entries(reasons)) acceptFinding(fn, id, reason);
}
