/**
 * Resolves CloudFormation's intrinsic functions to plain values. A function or a name that is not
 * known stops the start with its path in the template: guessing would make the local cloud accept
 * what a deployment refuses.
 */
import { accountId, partition, urlSuffix } from '../account.ts';
import { StartFailure } from '../failure.ts';
import type { Json, JsonObject } from './assembly.ts';

export type Scope = {
  readonly region: string;
  readonly stack: string;
  readonly mappings: JsonObject;
  parameter(name: string): Json | undefined;
  /** `undefined`: no such resource. */
  resource(
    logicalId: string,
  ): { ref: Json; attributes: Readonly<Record<string, Json>> } | undefined;
  condition(name: string, path: string): boolean;
};

/** `Ref: AWS::NoValue` removes the property that holds it. */
const noValue = Symbol('AWS::NoValue');
type Resolved = Json | typeof noValue;

type Intrinsic = (argument: Json, scope: Scope, path: string) => Resolved;

export function resolveValue(value: Json, scope: Scope, path: string): Json {
  const resolved = walk(value, scope, path);
  if (resolved === noValue) throw new StartFailure(`${path}: AWS::NoValue cannot stand here.`);
  return resolved;
}

function walk(value: Json, scope: Scope, path: string): Resolved {
  if (typeof value === 'string') return checkedText(value, path);
  if (Array.isArray(value)) {
    return value
      .map((item, index) => walk(item, scope, `${path}[${index}]`))
      .filter((item) => item !== noValue);
  }
  if (typeof value !== 'object' || value === null) return value;
  const name = intrinsicName(value);
  if (name !== undefined) {
    const intrinsic = intrinsics[name];
    if (intrinsic === undefined) {
      throw new StartFailure(`${path}.${name}: the local cloud does not know this function.`);
    }
    return intrinsic(value[name] ?? null, scope, `${path}.${name}`);
  }
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const resolved = walk(item, scope, `${path}.${key}`);
    if (resolved !== noValue) result[key] = resolved;
  }
  return result;
}

/**
 * The function's name when an object is an intrinsic: its only key is `Ref`, `Condition` or
 * `Fn::…`.
 */
function intrinsicName(value: JsonObject): string | undefined {
  const keys = Object.keys(value);
  const key = keys[0];
  if (keys.length !== 1 || key === undefined) return undefined;
  return key === 'Ref' || key.startsWith('Fn::') ? key : undefined;
}

function checkedText(text: string, path: string): string {
  if (!text.includes('{{resolve:')) return text;
  throw new StartFailure(`${path}: dynamic references ({{resolve:…}}) are not run locally.`);
}

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope, path) => ref(String(argument), scope, path),
  'Fn::GetAtt': (argument, scope, path) => {
    const parts = Array.isArray(argument) ? argument.map(String) : splitOnce(String(argument));
    return attribute(parts[0] ?? '', parts[1] ?? '', scope, path);
  },
  'Fn::Join': (argument, scope, path) => {
    const [separator, items] = pair(argument, path);
    const list = resolveValue(items, scope, path);
    if (!Array.isArray(list)) throw new StartFailure(`${path}: the second argument is no list.`);
    return list.map(String).join(String(separator));
  },
  'Fn::Sub': substitute,
  'Fn::Select': (argument, scope, path) => {
    const [index, items] = pair(argument, path);
    const list = resolveValue(items, scope, path);
    const item = Array.isArray(list) ? list[Number(resolveValue(index, scope, path))] : undefined;
    if (item === undefined) throw new StartFailure(`${path}: nothing at this index.`);
    return item;
  },
  'Fn::Split': (argument, scope, path) => {
    const [separator, text] = pair(argument, path);
    return String(resolveValue(text, scope, path)).split(String(separator));
  },
  'Fn::If': (argument, scope, path) => {
    const [name, yes, no] = Array.isArray(argument) ? argument : [];
    if (typeof name !== 'string' || yes === undefined || no === undefined) {
      throw new StartFailure(`${path}: takes a condition and two values.`);
    }
    return scope.condition(name, path) ? walk(yes, scope, path) : walk(no, scope, path);
  },
  'Fn::FindInMap': (argument, scope, path) => {
    const keys = (Array.isArray(argument) ? argument : []).map((key) =>
      String(resolveValue(key, scope, path)),
    );
    let at: Json | undefined = scope.mappings;
    for (const key of keys) {
      at = typeof at === 'object' && at !== null && !Array.isArray(at) ? at[key] : undefined;
    }
    if (at === undefined) throw new StartFailure(`${path}: no such entry in Mappings.`);
    return at;
  },
  'Fn::Base64': (argument, scope, path) =>
    Buffer.from(String(resolveValue(argument, scope, path))).toString('base64'),
};

function ref(name: string, scope: Scope, path: string): Resolved {
  const pseudo = pseudoParameter(name, scope);
  if (pseudo !== undefined) return pseudo;
  const parameter = scope.parameter(name);
  if (parameter !== undefined) return parameter;
  const resource = scope.resource(name);
  if (resource === undefined) throw new StartFailure(`${path}: there is no "${name}" to refer to.`);
  return resource.ref;
}

function pseudoParameter(name: string, scope: Scope): Resolved | undefined {
  switch (name) {
    case 'AWS::AccountId':
      return accountId;
    case 'AWS::Region':
      return scope.region;
    case 'AWS::Partition':
      return partition;
    case 'AWS::URLSuffix':
      return urlSuffix;
    case 'AWS::StackName':
      return scope.stack;
    case 'AWS::StackId':
      return `arn:${partition}:cloudformation:${scope.region}:${accountId}:stack/${scope.stack}/0`;
    case 'AWS::NotificationARNs':
      return [];
    case 'AWS::NoValue':
      return noValue;
    default:
      return undefined;
  }
}

function attribute(logicalId: string, name: string, scope: Scope, path: string): Json {
  const resource = scope.resource(logicalId);
  if (resource === undefined) throw new StartFailure(`${path}: there is no resource ${logicalId}.`);
  const value = resource.attributes[name];
  if (value === undefined) {
    throw new StartFailure(`${path}: the attribute ${name} of ${logicalId} is not run locally.`);
  }
  return value;
}

function substitute(argument: Json, scope: Scope, path: string): string {
  const [text, raw] = Array.isArray(argument) ? argument : [argument, {}];
  const names = resolveValue(raw ?? {}, scope, path) as JsonObject;
  return String(text).replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (name in names) return String(names[name]);
    const [id, attributeName] = splitOnce(name.trim());
    if (attributeName !== undefined) return String(attribute(id ?? '', attributeName, scope, path));
    return String(ref(id ?? '', scope, path));
  });
}

function splitOnce(text: string): string[] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text] : [text.slice(0, dot), text.slice(dot + 1)];
}

function pair(argument: Json, path: string): [Json, Json] {
  const [first, second] = Array.isArray(argument) ? argument : [];
  if (first === undefined || second === undefined) {
    throw new StartFailure(`${path}: takes two arguments.`);
  }
  return [first, second];
}
