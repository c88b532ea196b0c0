/** Hands a request of the gateway to the engine, and its whole answer back. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gatewayTimeoutMs } from '../../limits.ts';
import { type EngineAddress, engineHeaders } from './engine-address.ts';

export type EngineAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type EngineProxy = {
  ask(target: string, body: Buffer): Promise<EngineAnswer>;
  close(): void;
};

export function engineProxy(address: EngineAddress): EngineProxy {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  return {
    ask: (target, body) =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(
          {
            agent,
            host: address.host,
            port: address.port,
            method: 'POST',
            path: '/',
            timeout: gatewayTimeoutMs,
            headers: engineHeaders(address, target, body.length),
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('error', reject);
            answer.on('end', () => {
              const { statusCode: status = 500, headers } = answer;
              resolve({ status, headers, body: Buffer.concat(chunks) });
            });
          },
        );
        sent.on('timeout', () => sent.destroy(new Error('timeout')));
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
