/**
 * The one address of all AWS services. The service is found as AWS's own front doors do it: by the
 * scope of the signature, then by the operation's header, then by the form of the request.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { messageOf } from '../../failure.ts';
import type { RoleBook } from '../../services/iam/roles.ts';
import type { SignatureProblem } from '../../services/iam/signature.ts';
import { sendJsonError, sendQueryError, sendRestError, sendS3Error } from './answer.ts';
import { type GatewayRequest, readRequest } from './request.ts';
import type { GatewayService } from './service.ts';

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
const aliases: Readonly<Record<string, ServiceName>> = {
  dynamodb: 'dynamodb',
  dynamodbstreams: 'dynamodb',
  sqs: 'sqs',
  sns: 'sns',
  s3: 's3',
  lambda: 'lambda',
  secretsmanager: 'secretsmanager',
  sts: 'sts',
  iotdata: 'iotdata',
  'iot-data': 'iotdata',
  iotdevicegateway: 'iotdata',
  iot: 'iot',
  'execute-api': 'iot',
};

const targetPrefixes: readonly [string, ServiceName][] = [
  ['DynamoDB', 'dynamodb'],
  ['AmazonSQS', 'sqs'],
  ['secretsmanager', 'secretsmanager'],
];

const knownTargets = /^(DynamoDB_20120810|DynamoDBStreams_20120810|AmazonSQS|secretsmanager)\.\w+$/;

/** A server that is not listening yet; `services` may be completed until it does. */
export function gatewayServer(
  services: GatewayServices,
  roles: RoleBook,
  log: (line: string) => void,
): Server {
  const server = createServer((message, res) => {
    res.setTimeout(0);
    readRequest(message)
      .then(async (request) => {
        if (request === undefined) {
          return sendRestError(res, 413, 'RequestEntityTooLargeException', 'Request too large.');
        }
        const { url, method, body } = request;
        const { headers } = message;
        const problem = roles.signatureProblem(request.accessKeyId, { url, method, body, headers });
        if (problem === undefined) await route(services, request, res);
        else refuseSignature(request, res, problem);
      })
      .catch((error: unknown) => {
        log(`gateway: ${message.method} ${message.url}: ${messageOf(error)}`);
        if (res.headersSent) res.destroy();
        else sendRestError(res, 500, 'InternalFailure', 'The local cloud failed; see its log.');
      });
  });
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  return server;
}

function route(
  services: GatewayServices,
  request: GatewayRequest,
  res: ServerResponse,
): void | Promise<void> {
  if (request.method === 'GET' && request.path === '/_local/health') {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end('{"status":"ok"}');
    return;
  }
  const name = serviceName(request);
  const service = name === undefined ? undefined : services[name];
  if (service === undefined) return refuse(request, res);
  if (request.target !== '' && !knownTargets.test(request.target)) return refuse(request, res);
  return service.handle(request, res);
}

function serviceName(request: GatewayRequest): ServiceName | undefined {
  if (request.service !== undefined) return aliases[request.service];
  const byTarget = targetPrefixes.find(([prefix]) => request.target.startsWith(prefix));
  if (byTarget !== undefined) return byTarget[1];
  if (/^\/(things\/|topics\/|retainedMessage|api\/things\/|connections\/)/.test(request.path)) {
    return 'iotdata';
  }
  if (request.path.startsWith('/2015-03-31/functions/')) return 'lambda';
  const form = String(request.message.headers['content-type'] ?? '');
  if (request.method === 'POST' && form.includes('x-www-form-urlencoded')) {
    return /Action=GetCallerIdentity/.test(request.body.toString()) ? 'sts' : 'sns';
  }
  return 's3';
}

/** A request that was signed wrongly, in the form that the client's protocol expects. */
function refuseSignature(
  request: GatewayRequest,
  res: ServerResponse,
  problem: SignatureProblem,
): void {
  const form = String(request.message.headers['content-type'] ?? '');
  const isXml = request.service === 's3' || form.includes('x-www-form-urlencoded');
  const message = signatureSentences[problem];
  if (isXml) {
    const code = problem === 'token' ? 'InvalidClientTokenId' : 'SignatureDoesNotMatch';
    const send = request.service === 's3' ? sendS3Error : sendQueryError;
    send(res, 403, code, message);
    return;
  }
  const type = problem === 'token' ? 'UnrecognizedClientException' : 'InvalidSignatureException';
  if (request.target === '') sendRestError(res, 403, type, message);
  else sendJsonError(res, 400, `com.amazon.coral.service#${type}`, message);
}

const signatureSentences: Readonly<Record<SignatureProblem, string>> = {
  token: 'The security token included in the request is invalid.',
  signature:
    'The request signature we calculated does not match the signature you provided. ' +
    'Check your AWS Secret Access Key and signing method. Consult the service documentation for ' +
    'details.',
};

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
