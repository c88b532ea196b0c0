/** One AWS service behind the gateway. */
import type { ServerResponse } from 'node:http';
import type { GatewayRequest } from './request.ts';

/** What is there of a service, for the list of services and the sentence about what is not. */
export type Offer = {
  /** Names of its operations, as AWS spells them. */
  readonly operations: readonly string[];
  /** What does here what the other operations do on AWS: a sentence. */
  readonly instead: string;
};

export type GatewayService = Offer & {
  /** What stands before the dot of `X-Amz-Target`; none for protocols without that header. */
  readonly targets: readonly string[];
  handle(request: GatewayRequest, res: ServerResponse): void | Promise<void>;
  /** Where the body of a request is kept that is too large for memory; undefined: in memory. */
  spoolDirectory?(head: GatewayRequest): string | undefined;
  close?(): void;
};

/** The instead of services whose resources come from the template. */
export const fromTemplate =
  'Resources come from the template: change it, synthesize, and start the local cloud again.';
