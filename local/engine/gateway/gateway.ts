/**
 * The one address of all AWS services. Only who signs with a key that was given away here is let
 * in, and the scope of the signature says which service is meant.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { messageOf } from '../../failure.ts';
import type { RoleBook } from '../../services/iam/roles.ts';
import { forThisMachine, type HostCheck } from '../host-check.ts';
import { sendJsonError, sendQueryError, sendRestError, sendS3Error } from './answer.ts';
import { type GatewayRequest, readRequest } from './request.ts';
import type { GatewayService } from './service.ts';
import { refuseSignature } from './signature-refusal.ts';

export type ServiceName =
  | 'dynamodb'
  | 'sqs'
  | 'sns'
  | 's3'
  | 'lambda'
  | 'secretsmanager'
  | 'sts'
  | 'iotdata'
  | 'iot';

export type GatewayServices = Readonly<Partial<Record<ServiceName, GatewayService>>>;

/** Names in signatures that mean a service of another name. */
const aliases: ReadonlyMap<string, ServiceName> = new Map([
  ['dynamodb', 'dynamodb'],
  ['dynamodbstreams', 'dynamodb'],
  ['sqs', 'sqs'],
  ['sns', 'sns'],
  ['s3', 's3'],
  ['lambda', 'lambda'],
  ['secretsmanager', 'secretsmanager'],
  ['sts', 'sts'],
  ['iotdata', 'iotdata'],
  ['iot-data', 'iotdata'],
  ['iotdevicegateway', 'iotdata'],
  ['iot', 'iot'],
  ['execute-api', 'iot'],
]);

const knownTargets = /^(DynamoDB_20120810|DynamoDBStreams_20120810|AmazonSQS|secretsmanager)\.\w+$/;

/** A server that is not listening yet; `services` may be completed until it does. */
export function gatewayServer(
  services: GatewayServices,
  roles: RoleBook,
  isKnownHost: HostCheck,
  log: (line: string) => void,
): Server {
  const listener = forThisMachine(isKnownHost, (message, res) => {
    res.setTimeout(0);
    readRequest(message)
      .then((request) => {
        if (request !== undefined) return answer(services, roles, request, res);
        sendRestError(res, 413, 'RequestEntityTooLargeException', 'Request too large.');
      })
      .catch((error: unknown) => {
        log(`gateway: ${message.method} ${message.url}: ${messageOf(error)}`);
        if (res.headersSent) res.destroy();
        else sendRestError(res, 500, 'InternalFailure', 'The local cloud failed; see its log.');
      });
  });
  const server = createServer(listener);
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  return server;
}

function answer(
  services: GatewayServices,
  roles: RoleBook,
  request: GatewayRequest,
  res: ServerResponse,
): void | Promise<void> {
  const { url, method, body, accessKeyId } = request;
  if (method === 'GET' && request.path === '/_local/health') {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end('{"status":"ok"}');
    return;
  }
  const { headers } = request.message;
  const problem = roles.signatureProblem(accessKeyId, { url, method, body, headers });
  if (problem !== undefined) return refuseSignature(request, res, problem);
  const name = aliases.get(request.service ?? '');
  const service = name === undefined ? undefined : services[name];
  if (service === undefined) return refuse(request, res);
  if (request.target !== '' && !knownTargets.test(request.target)) return refuse(request, res);
  return service.handle(request, res);
}

/** An operation or service that is not there, in the form that the client's protocol expects. */
function refuse(request: GatewayRequest, res: ServerResponse): void {
  const form = String(request.message.headers['content-type'] ?? '');
  if (request.target !== '') {
    const type = 'com.amazon.coral.service#UnknownOperationException';
    sendJsonError(res, 400, type, undefined);
  } else if (form.includes('x-www-form-urlencoded')) {
    const action = new URLSearchParams(request.body.toString()).get('Action') ?? '';
    const message = `Could not find operation ${action} of service ${request.service}`;
    sendQueryError(res, 400, 'InvalidAction', message);
  } else if (request.service === 's3') {
    const message = 'A header you provided implies functionality that is not implemented';
    sendS3Error(res, 501, 'NotImplemented', message);
  } else {
    const name = request.service ?? 'of this request';
    const message = `The local cloud does not run the service ${name}.`;
    sendRestError(res, 404, 'UnknownOperationException', message);
  }
}
