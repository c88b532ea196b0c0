/** Secrets Manager: GetSecretValue, DescribeSecret, ListSecrets and PutSecretValue. */

import type { JsonObject } from '../../assembly/assembly.ts';
import { sendJson, sendJsonError } from '../../engine/gateway/answer.ts';
import { operationOf } from '../../engine/gateway/named-operation.ts';
import type { GatewayService, Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { Secret, SecretStore } from './store.ts';

/** The answer, or the text of what there is no value for. */
type Operation = (secret: Secret, input: JsonObject, secrets: SecretStore) => JsonObject | string;

const operations: Readonly<Record<string, Operation>> = {
  GetSecretValue: (secret, input) => {
    const stage = input.VersionStage ?? 'AWSCURRENT';
    const versions = [
      { stage: 'AWSCURRENT', value: secret.value, versionId: secret.versionId },
      ...(secret.previous === undefined ? [] : [{ stage: 'AWSPREVIOUS', ...secret.previous }]),
    ];
    const byId = versions.find(({ versionId }) => versionId === input.VersionId);
    if (input.VersionId !== undefined && byId === undefined) {
      return `VersionId: ${input.VersionId}`;
    }
    const found = byId ?? versions.find((version) => version.stage === stage);
    if (found === undefined) return `staging label: ${stage}`;
    return {
      ARN: secret.arn,
      Name: secret.name,
      VersionId: found.versionId,
      SecretString: found.value,
      VersionStages: [found.stage],
      CreatedDate: secret.createdAtMs / 1000,
    };
  },
  DescribeSecret: (secret) => ({
    ARN: secret.arn,
    Name: secret.name,
    CreatedDate: secret.createdAtMs / 1000,
    VersionIdsToStages: {
      ...(secret.previous === undefined ? {} : { [secret.previous.versionId]: ['AWSPREVIOUS'] }),
      [secret.versionId]: ['AWSCURRENT'],
    },
  }),
  PutSecretValue: (secret, input, secrets) => {
    const token = input.ClientRequestToken;
    const versionId = typeof token === 'string' ? token : undefined;
    const written = secrets.put(secret, String(input.SecretString ?? ''), versionId);
    const { arn, name } = written;
    return { ARN: arn, Name: name, VersionId: written.versionId, VersionStages: ['AWSCURRENT'] };
  },
};

const offer: Offer = {
  operations: [...Object.keys(operations), 'ListSecrets'],
  instead: 'Secrets come from the template; endpoints.json has the value of one in an output.',
};

export function secretsmanagerService(roles: RoleBook, secrets: SecretStore): GatewayService {
  return {
    ...offer,
    targets: ['secretsmanager'],
    handle: (request, res) => {
      const name = request.target.slice(request.target.indexOf('.') + 1);
      const input = parse(request.body);
      if (input === undefined) {
        return sendJsonError(res, 400, 'SerializationException', 'The body is not JSON.');
      }
      const secret = secrets.find(String(input.SecretId ?? ''));
      const operation = operationOf(operations, name);
      if (operation === undefined && name !== 'ListSecrets') {
        return refuseOperation(request, res, offer, name);
      }
      const resource = name === 'ListSecrets' ? '*' : (secret?.arn ?? String(input.SecretId));
      const access = { action: `secretsmanager:${name}`, resource };
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) {
        return sendJsonError(res, 400, 'AccessDeniedException', sentence);
      }
      if (operation === undefined) {
        const SecretList = secrets.list().map(({ arn, name: Name }) => ({ ARN: arn, Name }));
        return sendJson(res, 200, { SecretList }, '1.1');
      }
      if (secret === undefined) {
        const message = "Secrets Manager can't find the specified secret.";
        return sendJsonError(res, 400, 'ResourceNotFoundException', message);
      }
      const answer = operation(secret, input, secrets);
      if (typeof answer === 'string') {
        const message = `Secrets Manager can't find the specified secret value for ${answer}`;
        return sendJsonError(res, 400, 'ResourceNotFoundException', message);
      }
      sendJson(res, 200, answer, '1.1');
    },
  };
}

function parse(body: Buffer): JsonObject | undefined {
  try {
    return JSON.parse(body.toString() || '{}') as JsonObject;
  } catch {
    return undefined;
  }
}
