import { type Endpoint, endpointOf, type ServiceName } from './endpoint.ts';
import { createSignedClient, type SignedClientOptions } from './signed-client.ts';

/** Services whose operations are a name in a header and one JSON document each way. */
export type JsonCalls = {
  call(operation: string, input: object): Promise<Readonly<Record<string, unknown>>>;
  close(): void;
};

const protocols = {
  dynamodb: { prefix: 'DynamoDB_20120810', type: 'application/x-amz-json-1.0' },
  sqs: { prefix: 'AmazonSQS', type: 'application/x-amz-json-1.0' },
  secretsmanager: { prefix: 'secretsmanager', type: 'application/x-amz-json-1.1' },
} as const;

export type JsonService = ServiceName & keyof typeof protocols;

export function createJsonCalls(
  service: JsonService,
  options: SignedClientOptions & { readonly endpoint?: Endpoint } = {},
): JsonCalls {
  const { prefix, type } = protocols[service];
  const client = createSignedClient(options.endpoint ?? endpointOf(service), options);
  return {
    async call(operation, input) {
      const headers = { 'content-type': type, 'x-amz-target': `${prefix}.${operation}` };
      const body = JSON.stringify(input);
      const answer = await client.send({ method: 'POST', path: '/', headers, body });
      return answer === '' ? {} : (JSON.parse(answer) as Record<string, unknown>);
    },
    close: client.close,
  };
}
