/**
 * STS: GetCallerIdentity, which needs no permission on AWS either, and AssumeRole, which asks the
 * role's trust policy. Keys of a session end with their time, or with the local cloud.
 */

import type { ServerResponse } from 'node:http';
import { accountId } from '../../account.ts';
import { sendQueryAnswer, sendQueryError } from '../../engine/gateway/answer.ts';
import { operationOf } from '../../engine/gateway/named-operation.ts';
import type { GatewayService, Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { XmlValue } from '../../engine/gateway/xml.ts';
import { sessionSecondsMin, sessionSecondsUsual } from '../../limits.ts';
import type { Caller } from './identity.ts';
import type { RoleBook } from './roles.ts';

type Refusal = { readonly status: number; readonly code: string; readonly message: string };
type Answer = { readonly result: Readonly<Record<string, XmlValue>> } | Refusal;
type Operation = (roles: RoleBook, caller: Caller, form: URLSearchParams) => Answer;

const operations: Readonly<Record<string, Operation>> = {
  GetCallerIdentity: (_roles, { arn, userId }) => ({
    result: { Arn: arn, UserId: userId, Account: accountId },
  }),
  AssumeRole: assumeRole,
};

const offer: Offer = {
  operations: Object.keys(operations),
  instead: 'The key in endpoints.json may do everything; functions have the keys of their roles.',
};
const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

export function stsService(roles: RoleBook): GatewayService {
  return {
    ...offer,
    targets: [],
    handle: (request, res) => {
      const form = new URLSearchParams(request.body.toString());
      const name = form.get('Action') ?? '';
      const operation = operationOf(operations, name);
      if (operation === undefined) return refuseOperation(request, res, offer, name);
      send(res, name, operation(roles, roles.callerOf(request.accessKeyId), form));
    },
  };
}

function send(res: ServerResponse, name: string, answer: Answer): void {
  if ('result' in answer) sendQueryAnswer(res, namespace, name, answer.result);
  else sendQueryError(res, answer.status, answer.code, answer.message);
}

function assumeRole(roles: RoleBook, caller: Caller, form: URLSearchParams): Answer {
  const roleArn = form.get('RoleArn') ?? '';
  const sessionName = form.get('RoleSessionName') ?? '';
  const seconds = Number(form.get('DurationSeconds') ?? sessionSecondsUsual);
  const problem = problemOf(form, seconds, roles.sessionSecondsMax(roleArn));
  if (problem !== undefined) return { status: 400, code: 'ValidationError', message: problem };
  const expiresAtMs = Date.now() + seconds * 1_000;
  const session = roles.assume(caller, { roleArn, sessionName, expiresAtMs });
  if (typeof session === 'string') return { status: 403, code: 'AccessDenied', message: session };
  const { credentials, arn, userId } = session;
  return {
    result: {
      Credentials: {
        AccessKeyId: credentials.accessKeyId,
        SecretAccessKey: credentials.secretAccessKey,
        SessionToken: credentials.sessionToken,
        Expiration: new Date(credentials.expiresAtMs).toISOString(),
      },
      AssumedRoleUser: { AssumedRoleId: userId, Arn: arn },
    },
  };
}

function problemOf(form: URLSearchParams, seconds: number, most: number | undefined) {
  if (!/^[\w+=,.@-]{2,64}$/.test(form.get('RoleSessionName') ?? '')) {
    return 'RoleSessionName has 2 to 64 characters out of [\\w+=,.@-].';
  }
  if (!Number.isInteger(seconds) || seconds < sessionSecondsMin) {
    return `DurationSeconds is a whole number of at least ${sessionSecondsMin}.`;
  }
  if (most !== undefined && seconds > most) {
    return 'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.';
  }
  const further = [...form.keys()].find((key) =>
    /^(Policy|PolicyArns|Tags|SerialNumber)/.test(key),
  );
  if (further === undefined) return undefined;
  return `The local cloud gives sessions all that their role may do, without ${further}.`;
}
