/**
 * AWS IoT policies: parsed once at start, evaluated at connect, publish, subscribe and receive.
 * "an explicit deny in any policy overrides any allows"; what nothing allows is denied.
 * A document with an operator, element or variable that is not known here is refused at start.
 */
import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import { type Condition, conditionHolds, parseCondition } from './condition.ts';
import { matches, type Pattern, parsePattern, type Variables } from './pattern.ts';

export type PolicyAction =
  | 'iot:Connect'
  | 'iot:Publish'
  | 'iot:RetainPublish'
  | 'iot:Subscribe'
  | 'iot:Receive'
  | 'iot:GetThingShadow'
  | 'iot:UpdateThingShadow'
  | 'iot:DeleteThingShadow';

/** What the template says of a policy, with all references resolved. */
export type ResolvedPolicy = { readonly name: string; readonly document: unknown };

export type Policy = { readonly name: string; readonly statements: readonly Statement[] };

type Statement = {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: Choice;
  readonly resources: Choice;
  readonly conditions: readonly Condition[];
};

/** One of the patterns, or, for NotAction and NotResource, none of them. */
type Choice = { readonly patterns: readonly Pattern[]; readonly isNegated: boolean };

export type Decision = 'allowed' | 'denied';

/** All policies of one principal together. */
export function evaluate(
  policies: readonly Policy[],
  action: PolicyAction,
  resource: string,
  variables: Variables,
): Decision {
  let allowed = false;
  for (const policy of policies) {
    for (const statement of policy.statements) {
      if (!applies(statement, action, resource, variables)) continue;
      if (statement.effect === 'Deny') return 'denied';
      allowed = true;
    }
  }
  return allowed ? 'allowed' : 'denied';
}

function applies(
  statement: Statement,
  action: string,
  resource: string,
  variables: Variables,
): boolean {
  return (
    chosen(statement.actions, action.toLowerCase(), variables) &&
    chosen(statement.resources, resource, variables) &&
    statement.conditions.every((condition) => conditionHolds(condition, variables))
  );
}

const chosen = ({ patterns, isNegated }: Choice, text: string, variables: Variables): boolean =>
  patterns.some((pattern) => matches(pattern, text, variables)) !== isNegated;

/** Refuses, with the name of the policy, whatever cannot be evaluated exactly. */
export function parsePolicy(name: string, document: unknown): Policy {
  const refuse = (why: string): never => {
    throw new Error(`IoT policy ${name}: ${why}.`);
  };
  const source = typeof document === 'string' ? (JSON.parse(document) as Json) : document;
  if (!isObject(source)) return refuse('the document is not an object');
  // "The length of a policy document is limited to 2048 characters, not counting white space."
  if (JSON.stringify(source).replaceAll(/\s/g, '').length > policyCharactersMax) {
    return refuse(`the document has more than ${policyCharactersMax} characters`);
  }
  const statements = list(source['Statement']).map((item) =>
    isObject(item) ? parseStatement(item, refuse) : refuse('a statement is not an object'),
  );
  return { name, statements };
}

const policyCharactersMax = 2048;
const elements = ['Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'NotResource', 'Condition'];

function parseStatement(source: JsonObject, refuse: (why: string) => never): Statement {
  const unknown = Object.keys(source).find((key) => !elements.includes(key));
  if (unknown !== undefined) refuse(`the element ${unknown} is not supported`);
  const effect = source['Effect'];
  if (effect !== 'Allow' && effect !== 'Deny') return refuse('Effect is neither Allow nor Deny');
  const choice = (element: 'Action' | 'Resource'): Choice => {
    const isNegated = source[`Not${element}`] !== undefined;
    if (isNegated && source[element] !== undefined) {
      refuse(`a statement has both ${element} and Not${element}`);
    }
    const texts = list(source[isNegated ? `Not${element}` : element]);
    if (texts.length === 0) refuse(`a statement has no ${element}`);
    const patterns = texts.map((text) => {
      if (typeof text !== 'string') return refuse(`${element} is not text`);
      return parsePattern(element === 'Action' ? text.toLowerCase() : text, refuse);
    });
    return { patterns, isNegated };
  };
  const condition = source['Condition'] ?? {};
  if (!isObject(condition)) return refuse('Condition is not an object');
  return {
    effect,
    actions: choice('Action'),
    resources: choice('Resource'),
    conditions: Object.entries(condition).flatMap(([operator, keys]) =>
      isObject(keys)
        ? Object.entries(keys).map(([key, values]) =>
            parseCondition(operator, key, list(values), refuse),
          )
        : refuse(`the condition ${operator} is not an object`),
    ),
  };
}

const list = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : isArray(value) ? value : [value];
