/**
 * Who signed the request for a WebSocket, by the keys and policies of IAM. The sentences are those
 * of AWS, which answers each of them as ForbiddenException.
 */
import type { IncomingMessage } from 'node:http';
import { readHead } from '../../../engine/gateway/request.ts';
import { signatureSentence } from '../../../engine/gateway/signature-refusal.ts';
import type { RoleBook } from '../../iam/roles.ts';
import { iotDataServices, signatureExpired } from '../../iam/signature.ts';
import type { SignedBy } from './handshake.ts';

type Needs = {
  readonly roles: RoleBook;
  readonly region: string;
  readonly nowMs: () => number;
};

export function signedByRoles({ roles, region, nowMs }: Needs): SignedBy {
  return (request: IncomingMessage) => {
    const { method, url, accessKeyId, service, region: scoped, body, query } = readHead(request);
    const problem = roles.signatureProblem(accessKeyId, {
      ...{ method, url, body },
      headers: request.headers,
    });
    if (problem === 'over') return signatureExpired(query.get('X-Amz-Date') ?? '', nowMs());
    if (problem !== undefined) return signatureSentence(problem);
    if (!iotDataServices.has(service ?? '')) {
      return "Credential should be scoped to correct service: 'iotdevicegateway'. ";
    }
    if (scoped !== region) {
      return `Credential should be scoped to a valid region, not '${scoped ?? ''}'. `;
    }
    const caller = roles.callerOf(accessKeyId);
    return {
      principal: caller.userId,
      allows: (action, resource) => roles.refusal(caller, [{ action, resource }]) === undefined,
    };
  };
}
