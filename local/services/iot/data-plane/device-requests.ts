/**
 * What devices ask over HTTPS with their certificate: to publish, and for their shadows
 * (https://docs.aws.amazon.com/iot/latest/developerguide/http.html). The policies of the
 * certificate decide, as for MQTT; there is no client id, so a policy that asks for one does not
 * match.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { readBody } from '../../../engine/gateway/request.ts';
import { operatorPolicies } from '../broker/admission.ts';
import { type AuthorizerSource, authorizer, type Identity } from '../broker/connection.ts';
import { peerOf } from '../broker/peer.ts';
import type { Authority } from '../control-plane/authority.ts';
import { neededAction } from '../http/action-names.ts';
import { answer } from '../http/http-answer.ts';
import { payloadBytesMax } from '../limits.ts';
import type { PolicyAction } from '../policy/policy.ts';

export type DeviceRequestOptions = {
  readonly authority: Authority;
  readonly source: AuthorizerSource;
  readonly handle: (req: IncomingMessage, res: ServerResponse, body: Buffer) => Promise<void>;
  readonly log: (line: string) => void;
};

/** Everything else of the data plane is for who signs, not for devices. */
const forDevices: ReadonlyMap<string, PolicyAction> = new Map([
  ['iot:Publish', 'iot:Publish'],
  ['iot:RetainPublish', 'iot:RetainPublish'],
  ['iot:GetThingShadow', 'iot:GetThingShadow'],
  ['iot:UpdateThingShadow', 'iot:UpdateThingShadow'],
  ['iot:DeleteThingShadow', 'iot:DeleteThingShadow'],
]);

/** Serves a connection whose certificate was checked. */
export function deviceRequests(options: DeviceRequestOptions): (socket: TLSSocket) => void {
  const server = createServer((req, res) => {
    serve(options, req, res).catch((error: unknown) => {
      options.log(`HTTPS: ${req.method} ${req.url}: ${String(error)}`);
      res.destroy();
    });
  });
  return (socket) => void server.emit('connection', socket);
}

async function serve(
  options: DeviceRequestOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await readBody(req, payloadBytesMax);
  if (body === undefined) return refuse(res, 413, 'RequestEntityTooLargeException', 'Too large');
  if (!mayAsk(options, req)) return refuse(res, 403, 'ForbiddenException', 'Forbidden');
  await options.handle(req, res, body);
}

function refuse(res: ServerResponse, status: number, type: string, message: string): void {
  answer(res, status, { message, traceId: randomUUID() }, { 'x-amzn-errortype': type });
}

function mayAsk({ authority, source }: DeviceRequestOptions, req: IncomingMessage): boolean {
  const { action, resource } = neededAction('iotdata', req, source.region, source.accountId);
  const asked = forDevices.get(action);
  if (asked === undefined) return false;
  const identity = identityOf(req.socket as TLSSocket);
  const isOperator = identity.principal === authority.operator.certificateId;
  const rights = authorizer(source, identity, isOperator ? operatorPolicies : undefined);
  return rights.allows(asked, resource.slice(resource.indexOf('/') + 1));
}

function identityOf(socket: TLSSocket): Identity {
  const { principal, commonName, ipAddress } = peerOf(socket);
  return { clientId: '', principal, commonName, ipAddress, persistent: false };
}
