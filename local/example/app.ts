import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, type ITable, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as Lambda, Runtime, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';

/**
 * A small shop, to be run on this machine as it would be deployed: an order comes in over HTTP and
 * is stored; the stream of the table announces it in a queue; whoever reads the queue packs it.
 *
 *     HTTP API → orders-api → table → stream → announce-order → queue → pack-order → table
 */
const app = new App({ analyticsReporting: false });
const stack = new Stack(app, 'Shop', { description: 'Orders that pack themselves' });

const table = new TableV2(stack, 'Orders', {
  partitionKey: { name: 'id', type: AttributeType.STRING },
  dynamoStream: StreamViewType.NEW_IMAGE,
  removalPolicy: RemovalPolicy.DESTROY,
});
const failed = new Queue(stack, 'NotPacked', { enforceSSL: true });
const queue = new Queue(stack, 'ToPack', {
  enforceSSL: true,
  visibilityTimeout: Duration.seconds(60),
  deadLetterQueue: { queue: failed, maxReceiveCount: 3 },
});

const code = Code.fromAsset(`${import.meta.dirname}/functions`);
const makeFunction = (id: string, file: string, environment: Record<string, string>): Lambda =>
  new Lambda(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: `${file}.handler`,
    code,
    environment,
    timeout: Duration.seconds(10),
  });

const ordersApi = makeFunction('OrdersApi', 'orders-api', { TABLE: table.tableName });
table.grantReadWriteData(ordersApi);

const announceOrder = makeFunction('AnnounceOrder', 'announce-order', { QUEUE: queue.queueUrl });
queue.grantSendMessages(announceOrder);
announceOrder.addEventSource(
  // The CDK's own types differ in whether the stream of a table may be missing.
  new DynamoEventSource(table as unknown as ITable, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    retryAttempts: 3,
    filters: [{ pattern: JSON.stringify({ eventName: ['INSERT'] }) }],
  }),
);

const packOrder = makeFunction('PackOrder', 'pack-order', { TABLE: table.tableName });
table.grantWriteData(packOrder);
packOrder.addEventSource(new SqsEventSource(queue));

const api = new HttpApi(stack, 'Api');
const integration = new HttpLambdaIntegration('Orders', ordersApi);
api.addRoutes({ path: '/orders', methods: [HttpMethod.POST], integration });
api.addRoutes({ path: '/orders/{id}', methods: [HttpMethod.GET], integration });

new CfnOutput(stack, 'ApiUrl', { value: api.apiEndpoint });
