/**
 * Policies and what they are attached to. Those of the template are there from the start and stay
 * as it says; others are made by a call, and kept.
 */
import { notFound, ServiceError } from '../http/http-answer.ts';
import type { JsonObject } from '../json.ts';
import { parsePolicy } from '../policy/policy.ts';
import { arnOf, certificateOf } from './certificates.ts';
import type { ControlCall, ControlDependencies, ControlOperation } from './operation.ts';
import { exists } from './operation.ts';
import type { Certificate } from './registry.ts';

export function policyOperations(
  dependencies: ControlDependencies,
): Record<string, ControlOperation> {
  return { ...made(dependencies), ...attached(dependencies) };
}

const policyNamePattern = /^[\w+=,.@-]{1,128}$/;

function policyOf({ policies }: ControlDependencies, { path }: ControlCall): string {
  const name = path['policy'] ?? '';
  if (!policies.has(name)) throw notFound(`Policy not found (${name}).`);
  return name;
}

function made(dependencies: ControlDependencies): Record<string, ControlOperation> {
  const { registry, journal, policies, changed } = dependencies;
  return {
    async CreatePolicy({ path, body }) {
      const name = path['policy'] ?? '';
      const document = body['policyDocument'];
      if (!policyNamePattern.test(name)) throw malformed(`The name ${name} is not valid.`);
      if (typeof document !== 'string') throw malformed('policyDocument is missing.');
      if (policies.has(name)) {
        throw exists(`Policy cannot be created - name already exists (name=${name})`);
      }
      const policy = parsed(name, document);
      await journal.write(() => registry.putPolicy(name, document));
      policies.set(name, { policy, document, isOfTemplate: false });
      changed();
      return {
        policyName: name,
        policyArn: arnOf(dependencies, 'policy', name),
        policyDocument: document,
        policyVersionId: '1',
      };
    },
    async DeletePolicy(call) {
      const name = policyOf(dependencies, call);
      const conflict = (why: string) => new ServiceError(409, 'DeleteConflictException', why);
      if (registry.targetsOf(name).length > 0) {
        throw conflict(`The policy cannot be deleted as the policy is attached (name=${name})`);
      }
      if (policies.get(name)?.isOfTemplate === true) {
        throw conflict(`The policy ${name} comes from the template and stays with it.`);
      }
      await journal.write(() => registry.deletePolicy(name));
      policies.delete(name);
      changed();
      return {};
    },
    ListPolicies: () => ({
      policies: [...policies.keys()].map((name) => summary(dependencies, name)),
    }),
    GetPolicy: (call) => {
      const name = policyOf(dependencies, call);
      const document = policies.get(name)?.document;
      return {
        ...summary(dependencies, name),
        policyDocument: typeof document === 'string' ? document : JSON.stringify(document),
        defaultVersionId: '1',
      };
    },
  };
}

function parsed(name: string, document: string) {
  try {
    return parsePolicy(name, document);
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error));
  }
}

const malformed = (message: string): ServiceError =>
  new ServiceError(400, 'MalformedPolicyException', message);

const summary = (dependencies: ControlDependencies, name: string): JsonObject => ({
  policyName: name,
  policyArn: arnOf(dependencies, 'policy', name),
});

function attached(dependencies: ControlDependencies): Record<string, ControlOperation> {
  const { registry, journal, changed } = dependencies;
  const targetOf = ({ body }: ControlCall): Certificate =>
    certificateOf(dependencies, typeof body['target'] === 'string' ? body['target'] : undefined);
  return {
    AttachPolicy: (call) =>
      journal.write(() => {
        const policy = policyOf(dependencies, call);
        const { id } = targetOf(call);
        const before = registry.policiesOf(id);
        // "Maximum number of policies that can be attached to a certificate: 10"
        if (!before.includes(policy) && before.length >= policiesPerCertificateMax) {
          throw new ServiceError(
            410,
            'LimitExceededException',
            'A certificate has at most 10 policies.',
          );
        }
        registry.attachPolicy(id, policy);
        changed();
        return {};
      }),
    DetachPolicy: (call) =>
      journal.write(() => {
        registry.detachPolicy(targetOf(call).id, policyOf(dependencies, call));
        changed();
        return {};
      }),
    ListAttachedPolicies: ({ path }) => ({
      policies: registry
        .policiesOf(certificateOf(dependencies, path['target']).id)
        .map((name) => summary(dependencies, name)),
    }),
    ListTargetsForPolicy: (call) => ({
      targets: registry
        .targetsOf(policyOf(dependencies, call))
        .map((id) => arnOf(dependencies, 'cert', id)),
    }),
  };
}

const policiesPerCertificateMax = 10;
