import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IoTDataPlaneClient } from '@aws-sdk/client-iot-data-plane';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as dynamodb from '../../adapters/aws/dynamodb-client.ts';
import * as iotDataPlane from '../../adapters/aws/iot-data-plane-client.ts';
import * as secrets from '../../adapters/aws/secrets-manager-client.ts';
import * as sqs from '../../adapters/aws/sqs-client.ts';

/**
 * The two that an adapter may meet under the name of the SDK: in a bundle what stands in for it,
 * and else the SDK itself. Contract suites run on both.
 */
export const sdks = ['drop-in', 'official'] as const;

export type Sdk = (typeof sdks)[number];

type Config = {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

/** A client of the table, to be handed to an adapter. */
export function tableClient(sdk: Sdk, config: Config): DynamoDBClient {
  if (sdk === 'official') return new DynamoDBClient(config);
  return standIn(new dynamodb.DynamoDBClient(config), dynamodb) as unknown as DynamoDBClient;
}

export function queueClient(sdk: Sdk, config: Config): SQSClient {
  if (sdk === 'official') return new SQSClient(config);
  return standIn(new sqs.SQSClient(config), sqs) as unknown as SQSClient;
}

export function shadowClient(sdk: Sdk, config: Config): IoTDataPlaneClient {
  if (sdk === 'official') return new IoTDataPlaneClient(config);
  const client = new iotDataPlane.IoTDataPlaneClient(config);
  return standIn(client, iotDataPlane) as unknown as IoTDataPlaneClient;
}

export function secretClient(sdk: Sdk, config: Config): SecretsManagerClient {
  if (sdk === 'official') return new SecretsManagerClient(config);
  const client = new secrets.SecretsManagerClient(config);
  return standIn(client, secrets) as unknown as SecretsManagerClient;
}

type Sends = { send(command: object): Promise<unknown>; destroy(): void };

/**
 * In a bundle its commands have taken the place of the SDK's; here an adapter makes the SDK's, and
 * they are exchanged on their way.
 */
export function standIn(client: object, commands: object): Sends {
  const { send, destroy } = client as Sends;
  return {
    send(command) {
      const { name } = command.constructor;
      const made = (commands as Record<string, new (input: object) => object>)[name];
      if (made === undefined) throw new Error(`nothing stands in for ${name}`);
      return send.call(client, new made((command as { input: object }).input));
    },
    destroy: () => destroy.call(client),
  };
}
