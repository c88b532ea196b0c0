/**
 * DynamoDB and DynamoDB Streams: asks the caller's role, then passes the request to the engine.
 * Answers to writes announce the table to the readers of its stream.
 */
import { Agent, request as httpRequest, type ServerResponse } from 'node:http';
import { type Account, accountId } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import { sendJsonError } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import type { GatewayService } from '../../engine/gateway/service.ts';
import { gatewayTimeoutMs } from '../../limits.ts';
import type { AccessRequest } from '../iam/policy.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { WriteSignal } from '../lambda/event-sources/stream/write-signal.ts';
import { dynamodbAccess } from './access.ts';
import { type EngineAddress, engineHeaders } from './engine-address.ts';

export type DynamodbOptions = {
  account: Account;
  roles: RoleBook;
  signal: WriteSignal;
  address: EngineAddress;
  engineRegion: string;
};

const refused = 'com.amazon.coral.service#AccessDeniedException';
const invalid = 'com.amazon.coral.service#SerializationException';

/** Answers of these carry ARNs with the engine's own region. */
const describing =
  /^(Create|Describe|Update|Delete)(Table|TimeToLive)$|^(ListStreams|DescribeStream)$/;

export function dynamodbService(options: DynamodbOptions): GatewayService {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  return {
    handle: async (request, res) => {
      const operation = request.target.slice(request.target.indexOf('.') + 1);
      const input = parseBody(request.body);
      if (input === undefined) return sendJsonError(res, 400, invalid, 'The body is not JSON.');
      const access = dynamodbAccess(options.account, operation, input);
      const sentence = options.roles.refusal(options.roles.callerOf(request.accessKeyId), access);
      if (sentence !== undefined) return sendJsonError(res, 400, refused, sentence);
      const touches = writtenTables(access);
      await forward(options, agent, request, res, describing.test(operation), () => {
        for (const name of touches) options.signal.announce(name);
      });
    },
    close: () => agent.destroy(),
  };
}

function parseBody(body: Buffer): JsonObject | undefined {
  try {
    const value = JSON.parse(body.toString()) as Json;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
}

const writes = new Set([
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:PartiQLInsert',
]);

function writtenTables(access: readonly AccessRequest[]): Set<string> {
  const names = new Set<string>();
  for (const { action, resource } of access) {
    if (writes.has(action)) names.add(resource.slice(resource.indexOf('/') + 1));
  }
  return names;
}

async function forward(
  options: DynamodbOptions,
  agent: Agent,
  request: GatewayRequest,
  res: ServerResponse,
  rewrites: boolean,
  answered: () => void,
): Promise<void> {
  const { address } = options;
  const isStreams = request.target.includes('Streams');
  const body = isStreams ? withRegion(request.body, options.engineRegion) : request.body;
  return new Promise((resolve) => {
    const sent = httpRequest(
      {
        agent,
        host: address.host,
        port: address.port,
        method: 'POST',
        path: '/',
        timeout: gatewayTimeoutMs,
        headers: engineHeaders(address, request.target, body.length),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', fail);
        answer.on('end', () => {
          answered();
          const raw = Buffer.concat(chunks);
          const own = rewrites ? withRegion(raw, options.account.region) : raw;
          const content = request.target.endsWith('.DescribeStream') ? withOpenShards(own) : own;
          const headers = { ...answer.headers, 'content-length': content.length };
          // The checksum no longer fits an answer that was rewritten.
          if (content !== raw) delete (headers as Record<string, unknown>)['x-amz-crc32'];
          delete (headers as Record<string, unknown>).connection;
          res.writeHead(answer.statusCode ?? 500, headers);
          res.end(content);
          resolve();
        });
      },
    );
    const fail = (): void => {
      if (!res.headersSent) {
        sendJsonError(res, 500, 'InternalServerError', 'The database does not answer.');
      } else res.destroy();
      resolve();
    };
    sent.on('timeout', () => sent.destroy(new Error('timeout')));
    sent.on('error', fail);
    sent.end(body);
  });
}

/**
 * A shard that is still written has no last sequence number on AWS; one engine names the newest
 * record instead, and readers would take the shard for closed. Only a shard with a child is closed.
 */
function withOpenShards(body: Buffer): Buffer {
  const answer = JSON.parse(body.toString()) as {
    StreamDescription?: { Shards?: Shard[] };
  };
  const shards = answer.StreamDescription?.Shards ?? [];
  const parents = new Set(shards.map((shard) => shard.ParentShardId));
  for (const shard of shards) {
    if (!parents.has(shard.ShardId)) delete shard.SequenceNumberRange?.EndingSequenceNumber;
  }
  return Buffer.from(JSON.stringify(answer));
}

type Shard = {
  ShardId?: string;
  ParentShardId?: string;
  SequenceNumberRange?: { EndingSequenceNumber?: string };
};

/** Engines name their region otherwise: ARNs are translated in both directions. */
const regionInArn = /arn:aws:dynamodb:[a-z0-9-]+:\d+:/g;

function withRegion(body: Buffer, region: string): Buffer {
  const text = body.toString();
  if (!text.includes('arn:aws:dynamodb:')) return body;
  return Buffer.from(text.replace(regionInArn, `arn:aws:dynamodb:${region}:${accountId}:`));
}
