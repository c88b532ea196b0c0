/**
 * The roles of the template with their policies, the policies of queues and buckets, and the record of what
 * was asked: every refusal goes to `iam.log`, and on stop `iam-report.json` lists what was granted but never
 * used and what was used but refused.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountId } from '../account.ts';
import { StartFailure } from '../failure.ts';
import type { FunctionDefinition } from '../lambda/definition.ts';
import type { Json } from '../template/assembly.ts';
import {
  type Caller,
  type Credentials,
  credentialsFor,
  roleCaller,
  rootCaller,
} from './identity.ts';
import { managedPolicies } from './managed-policies.ts';
import { type AccessRequest, decide, parsePolicy, type Statement } from './policy.ts';

export interface RoleBook {
  addRole(arn: string, trust: Json, path: string): void;
  /** Adds an inline or customer managed policy to a role, by the role's name. */
  addPolicy(roleName: string, document: Json, path: string): void;
  addManagedPolicy(roleName: string, policyArn: string, path: string): void;
  addResourcePolicy(resourceArn: string, document: Json, path: string): void;
  /** True when the role's trust policy names this service. */
  trusts(roleArn: string, service: string): boolean;
  credentialsOf(definition: FunctionDefinition): Credentials;
  callerOf(accessKeyId: string | undefined): Caller;
  /** The sentence of AWS's refusal, or undefined when every request is allowed. */
  refusal(caller: Caller, requests: readonly AccessRequest[]): string | undefined;
  /** The same for a role that acts for a service (event sources, rules, schedules). */
  roleRefusal(roleArn: string, service: string, request: AccessRequest): string | undefined;
  /** True when the resource's own policy lets this service do it. */
  serviceMay(service: string, request: AccessRequest): boolean;
  writeReport(): void;
}

interface Role {
  readonly name: string;
  readonly trust: readonly Statement[];
  readonly statements: Statement[];
}

interface Refused {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  times: number;
}

const refusedMax = 1_000;

export function roleBook(stateDir: string): RoleBook {
  const roles = new Map<string, Role>();
  const resources = new Map<string, Statement[]>();
  const callers = new Map<string, Caller>();
  const used = new Map<Statement, Set<string>>();
  const refused = new Map<string, Refused>();
  const logPath = join(stateDir, 'iam.log');

  const roleNamed = (name: string, path: string): Role => {
    const role = roles.get(name);
    if (role === undefined) throw new StartFailure(`${path}: there is no role ${name}.`);
    return role;
  };
  const use = (statements: readonly Statement[], action: string): void => {
    for (const statement of statements) {
      const actions = used.get(statement) ?? new Set();
      used.set(statement, actions.add(action));
    }
  };
  const refuse = (who: string, request: AccessRequest, why: string): string => {
    const { action, resource } = request;
    const key = `${who} ${action} ${resource}`;
    const before = refused.get(key);
    if (before !== undefined) before.times += 1;
    else if (refused.size < refusedMax) {
      refused.set(key, { caller: who, action, resource, times: 1 });
    }
    appendFileSync(logPath, `${new Date().toISOString()} denied ${who} ${action} on ${resource}\n`);
    return (
      `User: ${who} is not authorized to perform: ${action} on resource: ${resource} ` +
      `because ${why}`
    );
  };
  const check = (
    who: string,
    role: Role,
    principal: readonly string[],
    plain: AccessRequest,
  ): string | undefined => {
    const { action } = plain;
    const request = { ...plain, context: { ...baseContext(who), ...plain.context } };
    const identity = decide(role.statements, request);
    const policy = (
      resources.get(plain.resource) ?? bucketPolicy(resources, plain.resource)
    ).filter((statement) => appliesTo(statement, principal));
    const resource = decide(policy, request);
    if (identity.kind === 'denied') {
      return refuse(who, plain, `of an explicit deny in an identity-based policy`);
    }
    if (resource.kind === 'denied') {
      return refuse(who, plain, `of an explicit deny in a resource-based policy`);
    }
    if (identity.kind === 'allowed') use(identity.by, action);
    if (resource.kind === 'allowed') use(resource.by, action);
    if (identity.kind === 'allowed' || resource.kind === 'allowed') return undefined;
    return refuse(who, plain, `no identity-based policy allows the ${action} action`);
  };

  return {
    addRole: (arn, trust, path) => {
      const name = arn.slice(arn.lastIndexOf('/') + 1);
      roles.set(name, { name, trust: parseKnown(trust, path), statements: [] });
    },
    addPolicy: (roleName, document, path) => {
      roleNamed(roleName, path).statements.push(...parseKnown(document, path));
    },
    addManagedPolicy: (roleName, policyArn, path) => {
      const document = managedPolicies[policyArn];
      if (document === undefined) {
        throw new StartFailure(`${path}: the local cloud does not know the policy ${policyArn}.`);
      }
      roleNamed(roleName, path).statements.push(...parseKnown(document, path));
    },
    addResourcePolicy: (resourceArn, document, path) => {
      const before = resources.get(resourceArn) ?? [];
      resources.set(resourceArn, [...before, ...parseKnown(document, path)]);
    },
    trusts: (roleArn, service) =>
      (roles.get(nameOf(roleArn))?.trust ?? []).some(
        (statement) =>
          statement.effect === 'Allow' &&
          (statement.principals ?? []).includes(`Service:${service}`),
      ),
    credentialsOf: (definition) => {
      const credentials = credentialsFor(definition.roleArn, definition.name);
      callers.set(credentials.accessKeyId, roleCaller(definition.roleArn, definition.name));
      return credentials;
    },
    callerOf: (accessKeyId) => callers.get(accessKeyId ?? '') ?? rootCaller,
    refusal: (caller, requests) => {
      if (caller.kind === 'root') return undefined;
      const role = roleNamed(caller.roleName, caller.functionName);
      const principal = [`AWS:${caller.roleArn}`, `AWS:${caller.arn}`];
      for (const request of requests) {
        const sentence = check(caller.arn, role, principal, request);
        if (sentence !== undefined) return sentence;
      }
      return undefined;
    },
    roleRefusal: (roleArn, service, request) =>
      check(roleArn, roleNamed(nameOf(roleArn), service), [`AWS:${roleArn}`], request),
    serviceMay: (service, plain) => {
      const policy = (
        resources.get(plain.resource) ?? bucketPolicy(resources, plain.resource)
      ).filter((statement) => appliesTo(statement, [`Service:${service}`]));
      const request = { ...plain, context: { ...baseContext(service), ...plain.context } };
      const decision = decide(policy, request);
      if (decision.kind === 'allowed') use(decision.by, plain.action);
      else refuse(service, plain, 'no resource-based policy allows it');
      return decision.kind === 'allowed';
    },
    writeReport: () => {
      const all = [...roles.values()].flatMap((role) =>
        role.statements.map((statement) => ({ role: role.name, statement })),
      );
      const report = {
        grantedNeverUsed: all.flatMap(({ role, statement }) => unused(role, statement, used)),
        usedButDenied: [...refused.values()],
      };
      writeFileSync(join(stateDir, 'iam-report.json'), `${JSON.stringify(report, null, 2)}\n`);
    },
  };
}

function unused(
  role: string,
  statement: Statement,
  used: ReadonlyMap<Statement, ReadonlySet<string>>,
): { role: string; action: string; resources: readonly string[]; path: string }[] {
  if (statement.effect === 'Deny') return [];
  const asked = used.get(statement) ?? new Set<string>();
  return statement.actions
    .filter((action) => ![...asked].some((name) => coversAction(action, name)))
    .map((action) => ({ role, action, resources: statement.resources, path: statement.path }));
}

function coversAction(pattern: string, action: string): boolean {
  return (
    decide(
      [
        {
          path: '',
          effect: 'Allow',
          actions: [pattern],
          notActions: [],
          resources: ['*'],
          notResources: [],
          principals: undefined,
          condition: () => true,
          conditionKeys: [],
        },
      ],
      { action, resource: '*' },
    ).kind === 'allowed'
  );
}

/** A bucket's policy also covers its objects. */
function bucketPolicy(policies: ReadonlyMap<string, Statement[]>, resource: string): Statement[] {
  if (!resource.startsWith('arn:aws:s3:::')) return [];
  return policies.get(resource.split('/')[0] ?? '') ?? [];
}

function appliesTo(statement: Statement, principal: readonly string[]): boolean {
  return (statement.principals ?? []).some((name) => name === '*' || principal.includes(name));
}

/** Condition keys that a request has here. A condition on another one would quietly never hold. */
const knownKeys = new Set([
  'aws:securetransport',
  'aws:principalarn',
  'aws:principalaccount',
  'aws:sourcearn',
  'aws:sourceaccount',
  'aws:currenttime',
  's3:prefix',
]);

function parseKnown(document: Json, path: string): Statement[] {
  const statements = parsePolicy(document, path);
  for (const statement of statements) {
    const key = statement.conditionKeys.find((name) => !knownKeys.has(name));
    if (key !== undefined) {
      throw new StartFailure(
        `${statement.path}.Condition: the local cloud does not know the condition key ${key}.`,
      );
    }
  }
  return statements;
}

/** The loopback interface stands for the TLS connection that AWS would see. */
function baseContext(who: string): Record<string, string> {
  return {
    'aws:securetransport': 'true',
    'aws:principalarn': who,
    'aws:principalaccount': accountId,
    'aws:sourceaccount': accountId,
    'aws:currenttime': new Date().toISOString(),
  };
}

function nameOf(roleArn: string): string {
  return roleArn.slice(roleArn.lastIndexOf('/') + 1);
}
