import type * as sdkDynamoDB from '@aws-sdk/client-dynamodb';
import type * as sdkEvents from '@aws-sdk/client-eventbridge';
import type * as sdkIotData from '@aws-sdk/client-iot-data-plane';
import type * as sdkSecrets from '@aws-sdk/client-secrets-manager';
import type * as sdkSqs from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import type { ClientConfig } from '../../../adapters/aws/client-config.ts';
import type * as dynamoDB from '../../../adapters/aws/dynamodb-client.ts';
import type * as events from '../../../adapters/aws/eventbridge-client.ts';
import type * as iotData from '../../../adapters/aws/iot-data-plane-client.ts';
import { commandsOf, type InputOf, type OutputOf } from '../../../adapters/aws/sdk-shape.ts';
import type * as secrets from '../../../adapters/aws/secrets-manager-client.ts';
import type * as sqs from '../../../adapters/aws/sqs-client.ts';

/**
 * Everything that a stand-in exports is what the SDK has under the same name, as far as adapters
 * use it: a client is made with a configuration that the SDK's takes, too, and sends each of the
 * stand-in's commands; a command is made with what the SDK's is made with, and brings what the
 * SDK's brings. The compiler judges; what differs is named.
 */
type Fits<StandIn, Sdk, K extends keyof StandIn> = K extends keyof Sdk
  ? K extends `${infer N}Command`
    ? FitsAsCommand<StandIn, Sdk, StandIn[K], N>
    : FitsAsClient<StandIn[K], Sdk[K]>
  : false;

type FitsAsCommand<StandIn, Sdk, C, N extends string> = C extends new (
  input: InputOf<Sdk, N>,
) => infer Made
  ? Send<StandIn> extends (command: Made) => Promise<OutputOf<Sdk, N>>
    ? Made extends { readonly operation: N }
      ? true
      : false
    : false
  : false;

type FitsAsClient<C, OfSdk> = OfSdk extends new (
  config: ClientConfig,
) => object
  ? C extends new (
      config?: ClientConfig,
    ) => { destroy(): void }
    ? true
    : false
  : false;

/** What the client among these exports does. */
type Send<StandIn> = {
  [K in keyof StandIn]: StandIn[K] extends new (
    config?: ClientConfig,
  ) => { send: infer S }
    ? S
    : never;
}[keyof StandIn];

type Misfits<StandIn, Sdk> = {
  [K in keyof StandIn]: Fits<StandIn, Sdk, K> extends true ? never : K;
}[keyof StandIn];

/** Compiles when there are none. */
const none = <M>(...misfits: [M] extends [never] ? [] : [M]) => misfits;

test('what stands in for the SDK has its shape', () => {
  none<Misfits<typeof dynamoDB, typeof sdkDynamoDB>>();
  none<Misfits<typeof events, typeof sdkEvents>>();
  none<Misfits<typeof iotData, typeof sdkIotData>>();
  none<Misfits<typeof secrets, typeof sdkSecrets>>();
  none<Misfits<typeof sqs, typeof sdkSqs>>();
});

type Client = (typeof dynamoDB)['DynamoDBClient'];
type Get = (typeof dynamoDB)['GetItemCommand'];
type Query = (typeof dynamoDB)['QueryCommand'];
type Sqs = (typeof sqs)['SQSClient'];

test('what differs from the SDK does not compile', () => {
  none<Misfits<{ DynamoDBClient: Client; GetItemCommand: Get }, typeof sdkDynamoDB>>();
  // @ts-expect-error: what it takes and brings is that of another operation
  none<Misfits<{ DynamoDBClient: Client; GetItemCommand: Query }, typeof sdkDynamoDB>>();
  // @ts-expect-error: the SDK has no operation of this name
  none<Misfits<{ DynamoDBClient: Client; GetItemsCommand: Get }, typeof sdkDynamoDB>>();
  // @ts-expect-error: a command is no client
  none<Misfits<{ DynamoDBClient: Get }, typeof sdkDynamoDB>>();
  // @ts-expect-error: the client sends the commands of another service
  none<Misfits<{ DynamoDBClient: Sqs; GetItemCommand: Get }, typeof sdkDynamoDB>>();
});

test('a misspelled operation and a misspelled member do not compile', () => {
  const command = commandsOf<typeof sdkDynamoDB>();
  // @ts-expect-error: it is TransactWriteItems
  const Misspelled = command('TransactWriteItem');
  // @ts-expect-error: it is TableName
  const made = new (command('GetItem'))({ Table: 'x', Key: {} });
  expect([new Misspelled({} as never).operation, made.operation]).toHaveLength(2);
});
