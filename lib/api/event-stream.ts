import { CfnOutput, Duration } from 'aws-cdk-lib';
import { FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { placesBegin } from '../../adapters/dynamodb/schema.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import { pinLogicalId } from '../frame/logical-id.ts';
import { type SignIn, signInVariables } from '../frame/sign-in.ts';
import type { Stage } from '../frame/stage.ts';
import { eventStreamTimeoutSeconds } from '../limits.ts';

export type EventStreamProps = {
  readonly stage: Stage;
  readonly table: EdgewiseTable;
  readonly adminTokenArn: string;
  readonly signIn: SignIn | null;
};

/**
 * Events as they happen, and subscriptions of the graph: the one function with an address of its
 * own, because neither the HTTP API nor its authorizer can stand before an answer that streams. It
 * looks up tokens itself and may read the table, and all that it may write there is which
 * subscriptions are open.
 */
export class EventStream extends Construct {
  /** With a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: EventStreamProps) {
    super(scope, id);
    const { tableName } = props.table.table;
    const fn = new EdgewiseFunction(this, 'Function', {
      entry: 'api/event-stream',
      description: 'Tells who watches what happens, for two minutes at a time',
      stage: props.stage,
      environment: {
        TABLE_NAME: tableName,
        ADMIN_TOKEN_ARN: props.adminTokenArn,
        ...signInVariables(props.signIn),
      },
      // It waits nearly all the time, and that is what it is billed for.
      memoryMb: 256,
      timeoutSeconds: eventStreamTimeoutSeconds,
      alarm: 'errors',
    });
    props.table.allowReads(fn, { lists: true });
    props.table.allowRows(fn, `${placesBegin}*`);
    fn.allow(['secretsmanager:GetSecretValue'], [props.adminTokenArn]);
    this.url = fn.lambda.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      // Of any page: it takes tokens and no cookies, so that a page has what its reader gave it.
      cors: {
        allowedOrigins: ['*'],
        allowedMethods: [HttpMethod.GET, HttpMethod.POST],
        allowedHeaders: ['authorization', 'content-type', 'last-event-id'],
        maxAge: Duration.hours(1),
      },
    }).url;
    const output = new CfnOutput(this, 'Url', { value: this.url });
    pinLogicalId(output, 'EventStreamUrl', 'scripts look for this output');
  }
}
