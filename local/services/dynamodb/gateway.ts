/**
 * DynamoDB and DynamoDB Streams: asks the caller's role, then passes the request to the engine.
 * Answers to writes announce the table to the readers of its stream.
 */
import type { ServerResponse } from 'node:http';
import type { Account } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import { sendJson, sendJsonError } from '../../engine/gateway/answer.ts';
import type { GatewayService, Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { Table } from '../../world.ts';
import type { AccessRequest } from '../iam/policy.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { WriteSignal } from '../lambda/event-sources/stream/write-signal.ts';
import { dynamodbAccess, tableNameOf } from './access.ts';
import type { EngineAddress } from './engine-address.ts';
import { type EngineAnswer, engineProxy } from './engine-proxy.ts';
import { engineInput, outerAnswer } from './translation.ts';

export type DynamodbOptions = {
  account: Account;
  streamShards: number;
  roles: RoleBook;
  signal: WriteSignal;
  address: EngineAddress;
  engineRegion: string;
  tables: ReadonlyMap<string, Table>;
};

const refused = 'com.amazon.coral.service#AccessDeniedException';
const invalid = 'com.amazon.coral.service#SerializationException';

/** What both engines have. */
const offer: Offer = {
  operations: [
    ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan'],
    ...['BatchGetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems'],
    ...['CreateTable', 'DescribeTable', 'UpdateTable', 'DeleteTable', 'ListTables'],
    ...['DescribeTimeToLive', 'UpdateTimeToLive', 'DescribeContinuousBackups'],
    ...['ListStreams', 'DescribeStream', 'GetShardIterator', 'GetRecords'],
  ],
  instead:
    'Backups and replicas are not kept: the state directory can be copied when it is stopped.',
};

export function dynamodbService(options: DynamodbOptions): GatewayService {
  const engine = engineProxy(options.address);
  return {
    ...offer,
    targets: ['DynamoDB_20120810', 'DynamoDBStreams_20120810'],
    handle: async (request, res) => {
      const operation = request.target.slice(request.target.indexOf('.') + 1);
      const input = parseBody(request.body);
      if (input === undefined) return sendJsonError(res, 400, invalid, 'The body is not JSON.');
      const { account, roles, tables } = options;
      const partitionKeyOf = (name: string) => tables.get(name)?.partitionKey;
      const access = dynamodbAccess(account, operation, input, partitionKeyOf);
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), access);
      if (sentence !== undefined) return sendJsonError(res, 400, refused, sentence);
      const table = tables.get(tableNameOf(input.TableName));
      if (table !== undefined && answerItself(operation, table, res)) return;
      const asked = engineInput(request.body, operation, input, options.engineRegion);
      const body = typeof asked === 'string' ? Buffer.from(asked) : asked;
      const answer = await engine.ask(request.target, body).catch(() => undefined);
      for (const name of writtenTables(access)) options.signal.announce(name);
      if (answer === undefined) {
        return sendJsonError(res, 500, 'InternalServerError', 'The database does not answer.');
      }
      if (answer.status === 400 && answer.body.includes('UnknownOperationException')) {
        return refuseOperation(request, res, offer, operation);
      }
      send(res, answer, outerAnswer(options, operation, input, answer));
    },
    close: () => engine.close(),
  };
}

/** What the template decides and the engine knows nothing of; true when it is answered. */
function answerItself(operation: string, table: Table, res: ServerResponse): boolean {
  const { isProtected, isRecoverable } = table.description;
  if (operation === 'DeleteTable' && isProtected) {
    const message =
      'Resource cannot be deleted as it is currently protected against deletion. ' +
      'Disable deletion protection first.';
    sendJsonError(res, 400, 'com.amazon.coral.validate#ValidationException', message);
    return true;
  }
  if (operation !== 'DescribeContinuousBackups') return false;
  const PointInTimeRecoveryStatus = isRecoverable ? 'ENABLED' : 'DISABLED';
  sendJson(res, 200, {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus },
    },
  });
  return true;
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

function send(res: ServerResponse, answer: EngineAnswer, content: Buffer): void {
  const { connection: _, 'x-amz-crc32': checksum, ...headers } = answer.headers;
  // The checksum no longer fits an answer that was rewritten.
  const kept = checksum === undefined || content !== answer.body ? {} : { 'x-amz-crc32': checksum };
  res.writeHead(answer.status, { ...headers, ...kept, 'content-length': content.length });
  res.end(content);
}
