/**
 * Calls of DynamoDB and DynamoDB Streams operations as the local cloud itself (its pollers, its
 * tables). They go straight to the engine, with kept-alive connections and without a permission
 * check.
 */
import { Agent, request } from 'node:http';
import type { JsonObject } from '../../assembly/assembly.ts';
import { gatewayTimeoutMs } from '../../limits.ts';
import { type EngineAddress, engineHeaders } from './engine-address.ts';

/** The engine refused: `type` is AWS's error name, such as `ResourceNotFoundException`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export type DatabaseClient = {
  readonly address: EngineAddress;
  /** `DynamoDB.PutItem` or `Streams.GetRecords` with its request; the answer's JSON. */
  call(operation: string, input: unknown): Promise<JsonObject>;
  close(): void;
};

const targets: Readonly<Record<string, string>> = {
  DynamoDB: 'DynamoDB_20120810',
  Streams: 'DynamoDBStreams_20120810',
};

export function databaseClient(address: EngineAddress): DatabaseClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const call = async (operation: string, input: unknown): Promise<JsonObject> => {
    const [service = '', name = ''] = operation.split('.');
    const body = JSON.stringify(input);
    const { status, text } = await post(agent, address, `${targets[service]}.${name}`, body);
    const answer = text === '' ? {} : (JSON.parse(text) as JsonObject);
    if (status === 200) return answer;
    const type = String(answer.__type ?? '').replace(/^.*#/, '');
    throw new DatabaseError(type, String(answer.message ?? answer.Message ?? type));
  };
  return { address, call, close: () => agent.destroy() };
}

function post(
  agent: Agent,
  address: EngineAddress,
  target: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: address.host,
        port: address.port,
        method: 'POST',
        path: '/',
        timeout: gatewayTimeoutMs,
        headers: engineHeaders(address, target, Buffer.byteLength(body)),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('the database does not answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}
