/** One AWS service behind the gateway. */
import type { ServerResponse } from 'node:http';
import type { GatewayRequest } from './request.ts';

export type GatewayService = {
  handle(request: GatewayRequest, res: ServerResponse): void | Promise<void>;
  close?(): void;
};
