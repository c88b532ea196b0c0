import type { ClientConfig } from './client-config.ts';
import { endpointOf, type ServiceNames } from './endpoint.ts';
import type { Command, OperationOf } from './sdk-shape.ts';
import { createSignedClient, type SignedClient, type SignedRequest } from './signed-client.ts';

/**
 * The class of clients of one service, as its package of the SDK has one: `new Client(config)`,
 * `send(new SomeCommand(input))`, `destroy()`. What a service answers is taken at its word, as the
 * SDK does.
 */
export type Protocol<Operation> = {
  requestOf(operation: Operation, input: object): SignedRequest;
  outputOf(body: string): object;
};

/** Of the operations `O` of the SDK `S`. */
export function clientClass<S, O extends OperationOf<S> = OperationOf<S>>(
  names: ServiceNames,
  protocol: Protocol<O>,
) {
  return class {
    readonly #client: SignedClient;

    constructor(config: ClientConfig = {}) {
      this.#client = createSignedClient(endpointOf(names, config), config);
    }

    async send<Output>(command: Command<O, object, Output>): Promise<Output> {
      const request = protocol.requestOf(command.operation, command.input);
      const { body, $metadata } = await this.#client.send(request);
      return Object.assign(protocol.outputOf(body) as Output & object, { $metadata });
    }

    destroy(): void {
      this.#client.close();
    }
  };
}

/** Of services whose operations are a name in a header and one JSON document each way. */
export function jsonProtocol(target: string, version = '1.0'): Protocol<string> {
  const type = `application/x-amz-json-${version}`;
  return {
    requestOf: (operation, input) => ({
      method: 'POST',
      path: '/',
      headers: { 'content-type': type, 'x-amz-target': `${target}.${operation}` },
      body: JSON.stringify(input),
    }),
    outputOf: (body) => JSON.parse(body || '{}'),
  };
}
