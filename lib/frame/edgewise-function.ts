import { Duration } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acceptFinding } from './accepted-finding.ts';
import { alarmOnErrors } from './alarm.ts';
import { handlerBundles, sdkOf } from './bundle.ts';
import type { Stage } from './stage.ts';

export type EdgewiseFunctionProps = {
  /** The file under `lambdas/functions/` that exports `handler`: `api/jobs-read`. */
  readonly entry: string;
  readonly description: string;
  readonly stage: Stage;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number;
  readonly memoryMb?: number;
  /** Either an alarm on errors, or why none is needed. */
  readonly alarm: 'errors' | { readonly none: string };
};

/**
 * A function as all of ours are: newest Node on arm64, its own role that may at first only write
 * its own log, its own log group with an end to it, and either an alarm or a reason for none.
 */
export class EdgewiseFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly alarm: EdgewiseFunctionProps['alarm'];

  constructor(scope: Construct, id: string, props: EdgewiseFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.stage.logRetention,
      removalPolicy: props.stage.removalPolicy,
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `May do what ${props.entry} needs`,
    });
    logGroup.grantWrite(this.role);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: codeOf(this, props.stage, props.entry),
      role: this.role,
      logGroup,
      timeout: Duration.seconds(props.timeoutSeconds ?? 10),
      memorySize: props.memoryMb ?? 512,
      environment: { ...environmentOf(props.stage), ...props.environment },
    });
    this.alarm = props.alarm;
    acceptFinding(
      this,
      'Serverless-LambdaDLQ',
      'queues and streams keep what failed in queues of their own; callers of the rest hear of it',
    );
    acceptFinding(
      this,
      'Serverless-LambdaTracing',
      'a trace would cost more start time than the work; requests carry their id in every log line',
    );
    if (props.alarm === 'errors') alarmOnErrors(this, this.lambda, props.stage);
  }

  /** Invokes the function with batches of a queue, whose failed messages come back to the queue. */
  readQueue(queue: IQueue, batchSize: number, maxConcurrency: number): void {
    this.lambda.addEventSource(
      new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
    acceptFinding(
      this,
      'Serverless-LambdaEventSourceMappingDestination',
      'a message that keeps failing goes to the dead-letter queue of its queue',
    );
  }

  /** Adds a permission: which actions, on exactly which resources, and under which conditions. */
  allow(
    actions: readonly string[],
    resources: readonly string[],
    conditions?: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ): void {
    this.role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
        ...(conditions === undefined ? {} : { conditions }),
      }),
    );
  }
}

/** The first stage is what functions take for granted. */
function environmentOf({ stackName, thingPrefix }: Stage): Record<string, string> {
  const stage = { METRICS_NAMESPACE: stackName, THING_PREFIX: thingPrefix };
  return { NODE_OPTIONS: '--enable-source-maps', ...(thingPrefix === '' ? {} : stage) };
}

/**
 * Bundles are made whenever the app runs: `cdk bootstrap` and `cdk list` leave what they synthesize
 * in `cdk.out`, and `cdk deploy --app cdk.out` would ship stand-ins from there.
 */
function codeOf(scope: Construct, { functionCode }: Stage, entry: string): Code {
  const sdk = sdkOf(scope.node.tryGetContext('edgewise:sdk'));
  if (functionCode !== null) return functionCode(entry);
  return Code.fromAsset(handlerBundles(sdk).directoryOf(entry));
}
