/**
 * IAM policy documents: read once, then asked for each request. Explicit deny wins, then allow,
 * then the implicit deny
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html).
 */

import type { Json } from '../../assembly/assembly.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { type ConditionTest, compileCondition, type RequestContext } from './condition.ts';
import { matchesPattern } from './wildcard.ts';

export type AccessRequest = {
  /** `service:Operation`. */
  readonly action: string;
  readonly resource: string;
  readonly context?: RequestContext;
};

export type Statement = {
  readonly path: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly notActions: readonly string[];
  readonly resources: readonly string[];
  readonly notResources: readonly string[];
  /** `undefined` in identity policies; otherwise `Service:…`, `AWS:…` or `*`. */
  readonly principals: readonly string[] | undefined;
  readonly condition: ConditionTest;
  /** Names of the condition keys, in lower case. */
  readonly conditionKeys: readonly string[];
};

export function parsePolicy(document: Json, path: string): Statement[] {
  const reader = readerOf(document, path).only(['Version', 'Statement', 'Id']);
  const raw = reader.raw.Statement;
  const list = Array.isArray(raw) ? raw : [raw ?? null];
  const version = reader.optionalText('Version') ?? '2008-10-17';
  if (version !== '2012-10-17' && version !== '2008-10-17') {
    throw new StartFailure(`${path}.Version should be 2012-10-17.`);
  }
  return list.map((item, index) => {
    const at = `${path}.Statement[${index}]`;
    return parseStatement(readerOf(item, at));
  });
}

function parseStatement(reader: Reader): Statement {
  reader.only([
    'Sid',
    'Effect',
    'Action',
    'NotAction',
    'Resource',
    'NotResource',
    'Principal',
    'Condition',
  ]);
  const effect = reader.text('Effect');
  if (effect !== 'Allow' && effect !== 'Deny') {
    throw new StartFailure(`${reader.path}.Effect should be Allow or Deny.`);
  }
  requireOne(reader, 'Action', 'NotAction');
  return {
    path: reader.path,
    effect,
    actions: texts(reader, 'Action'),
    notActions: texts(reader, 'NotAction'),
    resources: texts(reader, 'Resource'),
    notResources: texts(reader, 'NotResource'),
    principals: principalsOf(reader),
    condition: compileCondition(reader.raw.Condition, `${reader.path}.Condition`),
    conditionKeys: conditionKeys(reader),
  };
}

/** AWS refuses a statement with both or neither: it would mean everything or nothing. */
function requireOne(reader: Reader, one: string, other: string): void {
  if (reader.has(one) !== reader.has(other)) return;
  throw new StartFailure(`${reader.path} should have ${one} or ${other}, and not both.`);
}

function conditionKeys(reader: Reader): string[] {
  const operators = reader.optionalObject('Condition');
  return Object.keys(operators?.raw ?? {}).flatMap((operator) =>
    Object.keys(operators?.object(operator).raw ?? {}).map((key) => key.toLowerCase()),
  );
}

function texts(reader: Reader, key: string): string[] {
  const value = reader.raw[key];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function principalsOf(reader: Reader): string[] | undefined {
  const value = reader.raw.Principal;
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [value];
  const kinds = reader.object('Principal');
  return Object.keys(kinds.raw).flatMap((kind) =>
    texts(kinds, kind).map((name) => (name === '*' ? '*' : `${kind}:${name}`)),
  );
}

/**
 * What AWS refuses in a policy of a role
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html).
 */
export function checkIdentityStatement(statement: Statement): void {
  const { path, actions, notActions, resources, notResources, principals } = statement;
  const fail = (sentence: string): never => {
    throw new StartFailure(`${path}${sentence}`);
  };
  if (principals !== undefined) fail('.Principal is for policies of resources.');
  if (resources.length > 0 === notResources.length > 0) {
    fail(' should have Resource or NotResource, and not both.');
  }
  for (const action of [...actions, ...notActions]) {
    if (action !== '*' && !/^[\w-]+:[\w*?]+$/.test(action)) {
      fail(`.Action: ${action} should be service:Operation.`);
    }
  }
  for (const resource of [...resources, ...notResources]) {
    if (resource !== '*' && !resource.startsWith('arn:')) {
      fail(`.Resource: ${resource} should be an ARN or "*".`);
    }
    if (/\$\{[^*?$]/.test(resource)) {
      fail(`.Resource: the local cloud does not know policy variables such as in ${resource}.`);
    }
  }
}

export function statementMatches(statement: Statement, request: AccessRequest): boolean {
  const { actions, notActions, resources, notResources } = statement;
  const action = (pattern: string): boolean => matchesPattern(pattern, request.action, true);
  const resource = (pattern: string): boolean => matchesPattern(pattern, request.resource);
  const actionHit = actions.length > 0 ? actions.some(action) : !notActions.some(action);
  if (!actionHit) return false;
  const resourceHit =
    resources.length > 0 ? resources.some(resource) : !notResources.some(resource);
  return resourceHit && statement.condition(request.context ?? {});
}

export type Decision =
  | { kind: 'allowed'; by: readonly Statement[] }
  | { kind: 'denied'; by: Statement }
  | { kind: 'unmatched' };

export function decide(statements: readonly Statement[], request: AccessRequest): Decision {
  const hits = statements.filter((statement) => statementMatches(statement, request));
  const deny = hits.find((statement) => statement.effect === 'Deny');
  if (deny !== undefined) return { kind: 'denied', by: deny };
  return hits.length > 0 ? { kind: 'allowed', by: hits } : { kind: 'unmatched' };
}
