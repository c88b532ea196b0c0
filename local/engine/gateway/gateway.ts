/**
 * The one address of all AWS services. Only who signs with a key that was given away here is let
 * in, and the scope of the signature says which service is meant.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { messageOf } from '../../failure.ts';
import type { RoleBook } from '../../services/iam/roles.ts';
import { forThisMachine, type HostCheck, wantsWebSocket } from '../host-check.ts';
import { sendRestError, sendRestJson, sendS3Error } from './answer.ts';
import { type CallCounts, makeCallCounts } from './call-counts.ts';
import { type LocalstackPages, localstackPages } from './localstack.ts';
import { type GatewayRequest, readHead, withBody } from './request.ts';
import type { GatewayService } from './service.ts';
import { refuseSignature } from './signature-refusal.ts';
import { spoolBody } from './spool.ts';
import { refuseOperation, refuseService } from './unknown-operation.ts';

export type GatewayServices = ReadonlyMap<string, GatewayService>;

/** Names in signatures that mean a service of another name. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['dynamodbstreams', 'dynamodb'],
  ['iot-data', 'iotdata'],
  ['iotdevicegateway', 'iotdata'],
  ['execute-api', 'iot'],
]);

/** A server that is not listening yet. */
export function gatewayServer(
  services: GatewayServices,
  roles: RoleBook,
  isKnownHost: HostCheck,
  invocations: () => object,
  log: (line: string) => void,
): Server {
  const pages = localstackPages([...services.keys()], Date.now);
  const parts = { services, roles, pages, counts: makeCallCounts(), invocations };
  const listener = forThisMachine(isKnownHost, (message, res) => {
    res.setTimeout(0);
    receive(parts, readHead(message), res).catch((error: unknown) => {
      log(`gateway: ${message.method} ${message.url}: ${messageOf(error)}`);
      if (res.headersSent) res.destroy();
      else sendRestError(res, 500, 'InternalFailure', 'The local cloud failed; see its log.');
    });
  });
  const server = createServer({ shouldUpgradeCallback: wantsWebSocket }, listener);
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  return server;
}

type Parts = {
  readonly services: GatewayServices;
  readonly roles: RoleBook;
  readonly pages: LocalstackPages;
  readonly counts: CallCounts;
  /** What the functions count of themselves. */
  readonly invocations: () => object;
};

/** Of a large object, who sends it is known before it is taken. */
async function receive(parts: Parts, head: GatewayRequest, res: ServerResponse): Promise<void> {
  const { services, roles, counts } = parts;
  const service = services.get(head.service ?? '');
  if (service?.spoolDirectory?.(head) === undefined) {
    const request = await withBody(head);
    if (request !== undefined) return answer(parts, request, res);
    return sendRestError(res, 413, 'RequestEntityTooLargeException', 'Request too large.');
  }
  const { url, method, accessKeyId, body } = head;
  const { headers } = head.message;
  const bodySha256 = String(headers['x-amz-content-sha256'] ?? '');
  const signed = { url, method, body, headers, bodySha256 };
  const problem = roles.signatureProblem(accessKeyId, signed);
  if (problem !== undefined) return refuseSignature(head, res, problem);
  const spooled = await spoolBody(head.message, service.spoolDirectory(head) ?? '');
  if (spooled === undefined) {
    const sentence = 'Your proposed upload exceeds the maximum allowed object size.';
    return sendS3Error(res, 400, 'EntityTooLarge', sentence);
  }
  counts.count('s3', head);
  return service.handle({ ...head, spooled }, res);
}

function answer(
  { services, roles, pages, counts, invocations }: Parts,
  request: GatewayRequest,
  res: ServerResponse,
): void | Promise<void> {
  const { url, method, body, accessKeyId } = request;
  if (method === 'GET' && request.path === '/_local/health') {
    return sendRestJson(res, 200, { status: 'ok' });
  }
  if (method === 'GET' && request.path === '/_local/calls') {
    return sendRestJson(res, 200, { calls: counts.shown(), functions: invocations() });
  }
  if (pages(request, res)) return;
  const { headers } = request.message;
  const problem = roles.signatureProblem(accessKeyId, { url, method, body, headers });
  if (problem !== undefined) return refuseSignature(request, res, problem);
  const name = request.service ?? '';
  const service = services.get(aliases.get(name) ?? name);
  if (service === undefined) return refuseService(request, res, [...services.keys()]);
  if (!isUnderstood(service, request)) return refuseOperation(request, res, service);
  const counted = aliases.get(name) ?? name;
  counts.count(counted, request);
  res.once('finish', () => {
    if (res.statusCode >= 400) counts.refused(counted, request);
  });
  return service.handle(request, res);
}

/** A service is asked in its own protocol: by a target of its own, or without one. */
function isUnderstood({ targets }: GatewayService, { target }: GatewayRequest): boolean {
  const prefix = target.slice(0, Math.max(0, target.lastIndexOf('.')));
  return targets.length === 0 ? target === '' : targets.includes(prefix);
}
