/**
 * The roles of the template with their policies, the policies of queues and buckets, and the record
 * of what was asked: every refusal goes to `iam.log`, and on stop `iam-report.json` lists what was
 * granted but never used and what was used but refused.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../assembly/assembly.ts';
import { appendLine } from '../../engine/log-file.ts';
import { StartFailure } from '../../failure.ts';
import type { FunctionDefinition } from '../lambda/definition.ts';
import {
  type Caller,
  type Credentials,
  type FunctionCredentials,
  type KeyRing,
  roleCaller,
  rootCaller,
} from './identity.ts';
import { managedPolicies } from './managed-policies.ts';
import { type AccessRequest, checkIdentityStatement, decide, type Statement } from './policy.ts';
import { baseContext, parseKnown } from './request-context.ts';
import { isOver, type RoleSession, type SessionWish, whyNoSession } from './role-session.ts';
import { type SignatureProblem, type SignedRequest, signatureProblem } from './signature.ts';

export type RoleBook = {
  addRole(arn: string, trust: Json, path: string, sessionSecondsMax: number): void;
  /** Adds an inline or customer managed policy to a role, by the role's name. */
  addPolicy(roleName: string, document: Json, path: string): void;
  addManagedPolicy(roleName: string, policyArn: string, path: string): void;
  addResourcePolicy(resourceArn: string, document: Json, path: string): void;
  /** True when the role's trust policy names this service. */
  trusts(roleArn: string, service: string): boolean;
  /** The keys of who may do everything: those of `endpoints.json`. */
  readonly rootCredentials: Credentials;
  credentialsOf(definition: FunctionDefinition): FunctionCredentials;
  /** Keys for a session of a role, or the sentence of AWS's refusal. */
  assume(caller: Caller, wish: SessionWish): RoleSession | string;
  /** The longest session of a role; undefined when there is no such role. */
  sessionSecondsMax(roleArn: string): number | undefined;
  /** Whose key this is; it was given away here, or the request was refused before. */
  callerOf(accessKeyId: string | undefined): Caller;
  /** What is wrong with the signature of a request, or undefined when it is somebody's. */
  signatureProblem(
    accessKeyId: string | undefined,
    request: SignedRequest,
  ): SignatureProblem | undefined;
  /** The sentence of AWS's refusal, or undefined when every request is allowed. */
  refusal(caller: Caller, requests: readonly AccessRequest[]): string | undefined;
  /**
   * The same sentence for what a service looks at by itself and the caller has not asked for: it
   * is neither a use nor a refusal.
   */
  whyNot(caller: Caller, request: AccessRequest): string | undefined;
  /** The same as `refusal` for a role that acts for a service (event sources, rules, schedules). */
  roleRefusal(roleArn: string, service: string, request: AccessRequest): string | undefined;
  /** True when the resource's own policy lets this service do it. */
  serviceMay(service: string, request: AccessRequest): boolean;
  /** A refusal that another part decided: the broker by its IoT policies. */
  noteRefusal(who: string, request: AccessRequest): void;
  writeReport(): void;
};

type Role = {
  readonly arn: string;
  readonly name: string;
  readonly sessionSecondsMax: number;
  readonly trust: readonly Statement[];
  readonly statements: Statement[];
};

type Refused = {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  times: number;
};

const refusedMax = 1_000;

export function roleBook(stateDir: string, keys: KeyRing): RoleBook {
  return new Roles(stateDir, keys);
}

class Roles implements RoleBook {
  readonly rootCredentials: Credentials;
  readonly #stateDir: string;
  readonly #keys: KeyRing;
  readonly #roles = new Map<string, Role>();
  readonly #resources = new Map<string, Statement[]>();
  readonly #callers = new Map<string, Caller>();
  readonly #credentials = new Map<string, Credentials>();
  readonly #used = new Map<Statement, Set<string>>();
  readonly #refused = new Map<string, Refused>();

  constructor(stateDir: string, keys: KeyRing) {
    this.#stateDir = stateDir;
    this.#keys = keys;
    this.rootCredentials = keys.root;
    this.#hand(keys.root, rootCaller);
  }

  addRole(arn: string, trust: Json, path: string, sessionSecondsMax: number): void {
    const name = nameOf(arn);
    const parsed = parseKnown(trust, path);
    this.#roles.set(name, { arn, name, sessionSecondsMax, trust: parsed, statements: [] });
  }

  addPolicy(roleName: string, document: Json, path: string): void {
    const statements = parseKnown(document, path);
    for (const statement of statements) checkIdentityStatement(statement);
    this.#role(roleName, path).statements.push(...statements);
  }

  addManagedPolicy(roleName: string, policyArn: string, path: string): void {
    const document = managedPolicies[policyArn];
    if (document === undefined) {
      throw new StartFailure(`${path}: the local cloud does not know the policy ${policyArn}.`);
    }
    this.addPolicy(roleName, document, path);
  }

  addResourcePolicy(resourceArn: string, document: Json, path: string): void {
    const before = this.#resources.get(resourceArn) ?? [];
    this.#resources.set(resourceArn, [...before, ...parseKnown(document, path)]);
  }

  trusts(roleArn: string, service: string): boolean {
    return (this.#roles.get(nameOf(roleArn))?.trust ?? []).some(
      (statement) =>
        statement.effect === 'Allow' && (statement.principals ?? []).includes(`Service:${service}`),
    );
  }

  credentialsOf({ roleArn, name }: FunctionDefinition): FunctionCredentials {
    const credentials = this.#keys.forFunction(roleArn, name);
    this.#hand(credentials, roleCaller(roleArn, name));
    return credentials;
  }

  sessionSecondsMax(roleArn: string): number | undefined {
    return this.#named(roleArn)?.sessionSecondsMax;
  }

  assume(caller: Caller, wish: SessionWish): RoleSession | string {
    const { roleArn, sessionName, expiresAtMs } = wish;
    const request = { action: 'sts:AssumeRole', resource: roleArn };
    const role = this.#named(roleArn);
    const why = role === undefined ? 'there is no such role' : whyNoSession(caller, role);
    if (why !== undefined) return this.#refuse(caller.arn, request, why);
    // Who is named by the trust policy itself needs no policy of its own.
    const isNamed = whyNoSession(caller, role!, 'itself') === undefined;
    const sentence = isNamed ? undefined : this.refusal(caller, [request]);
    if (sentence !== undefined) return sentence;
    const session = roleCaller(roleArn, sessionName);
    const credentials = { ...this.#keys.forSession(), expiresAtMs };
    this.#hand(credentials, session);
    return { credentials, arn: session.arn, userId: session.userId };
  }

  signatureProblem(
    accessKeyId: string | undefined,
    request: SignedRequest,
  ): SignatureProblem | undefined {
    if (accessKeyId === undefined) return 'missing';
    const credentials = this.#credentials.get(accessKeyId);
    if (credentials === undefined) return 'key';
    const problem = signatureProblem(request, credentials, Date.now());
    return problem ?? (isOver(credentials) ? 'expired' : undefined);
  }

  callerOf(accessKeyId: string | undefined): Caller {
    const caller = this.#callers.get(accessKeyId ?? '');
    assert(caller !== undefined, 'a request of nobody was not refused');
    return caller;
  }

  refusal(caller: Caller, requests: readonly AccessRequest[]): string | undefined {
    if (caller.kind === 'root') return undefined;
    const role = this.#role(caller.roleName, caller.functionName);
    for (const request of requests) {
      const sentence = this.#check(caller.arn, role, principalOf(caller), request);
      if (sentence !== undefined) return sentence;
    }
    return undefined;
  }

  whyNot(caller: Caller, request: AccessRequest): string | undefined {
    if (caller.kind === 'root') return undefined;
    const role = this.#role(caller.roleName, caller.functionName);
    const { why } = this.#judge(caller.arn, role, principalOf(caller), request);
    return why === undefined ? undefined : refusalSentence(caller.arn, request, why);
  }

  roleRefusal(roleArn: string, service: string, request: AccessRequest): string | undefined {
    const role = this.#role(nameOf(roleArn), service);
    return this.#check(roleArn, role, [`AWS:${roleArn}`], request);
  }

  serviceMay(service: string, plain: AccessRequest): boolean {
    const policy = this.#resourcePolicy(plain.resource, [`Service:${service}`]);
    const request = { ...plain, context: { ...baseContext(service), ...plain.context } };
    const decision = decide(policy, request);
    if (decision.kind === 'allowed') this.#use(decision.by, plain.action);
    else this.#refuse(service, plain, 'no resource-based policy allows it');
    return decision.kind === 'allowed';
  }

  noteRefusal(who: string, request: AccessRequest): void {
    this.#refuse(who, request, 'its own policy does not allow it');
  }

  writeReport(): void {
    const all = [...this.#roles.values()].flatMap((role) =>
      role.statements.map((statement) => ({ role: role.name, statement })),
    );
    const report = {
      grantedNeverUsed: all.flatMap(({ role, statement }) => unused(role, statement, this.#used)),
      usedButDenied: [...this.#refused.values()],
    };
    const path = join(this.#stateDir, 'iam-report.json');
    writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
  }

  #hand(credentials: Credentials, caller: Caller): void {
    this.#callers.set(credentials.accessKeyId, caller);
    this.#credentials.set(credentials.accessKeyId, credentials);
  }

  #named(roleArn: string): Role | undefined {
    const role = this.#roles.get(nameOf(roleArn));
    return role?.arn === roleArn ? role : undefined;
  }

  #role(name: string, path: string): Role {
    const role = this.#roles.get(name);
    if (role === undefined) throw new StartFailure(`${path}: there is no role ${name}.`);
    return role;
  }

  #check(
    who: string,
    role: Role,
    principal: readonly string[],
    request: AccessRequest,
  ): string | undefined {
    const { by, why } = this.#judge(who, role, principal, request);
    this.#use(by, request.action);
    return why === undefined ? undefined : this.#refuse(who, request, why);
  }

  /** The statements that allow it, and the reason when it is not allowed. */
  #judge(
    who: string,
    role: Role,
    principal: readonly string[],
    plain: AccessRequest,
  ): { by: readonly Statement[]; why: string | undefined } {
    const request = { ...plain, context: { ...baseContext(who), ...plain.context } };
    const identity = decide(role.statements, request);
    const resource = decide(this.#resourcePolicy(plain.resource, principal), request);
    const refused = (why: string) => ({ by: [], why });
    if (identity.kind === 'denied') {
      return refused('of an explicit deny in an identity-based policy');
    }
    if (resource.kind === 'denied') {
      return refused('of an explicit deny in a resource-based policy');
    }
    const by = [identity, resource].flatMap((each) => (each.kind === 'allowed' ? each.by : []));
    if (identity.kind === 'allowed' || resource.kind === 'allowed') return { by, why: undefined };
    return refused(`no identity-based policy allows the ${plain.action} action`);
  }

  /** The statements of the resource's own policy that are about this principal. */
  #resourcePolicy(resource: string, principal: readonly string[]): Statement[] {
    const all = this.#resources.get(resource) ?? bucketPolicy(this.#resources, resource);
    return all.filter((statement) => appliesTo(statement, principal));
  }

  #use(statements: readonly Statement[], action: string): void {
    for (const statement of statements) {
      const actions = this.#used.get(statement) ?? new Set();
      this.#used.set(statement, actions.add(action));
    }
  }

  #refuse(who: string, request: AccessRequest, why: string): string {
    const { action, resource } = request;
    const key = `${who} ${action} ${resource}`;
    const before = this.#refused.get(key);
    if (before !== undefined) before.times += 1;
    else if (this.#refused.size < refusedMax) {
      this.#refused.set(key, { caller: who, action, resource, times: 1 });
    }
    const line = `${new Date().toISOString()} denied ${who} ${action} on ${resource}`;
    appendLine(join(this.#stateDir, 'iam.log'), line);
    return refusalSentence(who, request, why);
  }
}

function refusalSentence(who: string, { action, resource }: AccessRequest, why: string): string {
  const what = `perform: ${action} on resource: ${resource}`;
  return `User: ${who} is not authorized to ${what} because ${why}`;
}

function principalOf(caller: Caller & { kind: 'role' }): string[] {
  return [`AWS:${caller.roleArn}`, `AWS:${caller.arn}`];
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

function nameOf(roleArn: string): string {
  return roleArn.slice(roleArn.lastIndexOf('/') + 1);
}
