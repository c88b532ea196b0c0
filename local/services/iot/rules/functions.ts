/**
 * Functions of the AWS IoT SQL that need nothing but their arguments and the message.
 * `undefined` is the SQL's Undefined: what cannot be computed, and what a result leaves out.
 */
import { createHash } from 'node:crypto';
import { field, isArray, isObject, type Json } from '../json.ts';

export type Value = Json | undefined;

/** What a rule may know of the message that it looks at. */
export type MessageContext = {
  readonly topic: string;
  readonly clientId: string;
  readonly principal: string;
  readonly accountId: string;
  readonly receivedAtMs: number;
  readonly payloadBase64: string;
  readonly newUuid: () => string;
};

type RuleFunction = {
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  readonly run: (args: readonly Value[], context: MessageContext) => Value;
};

type Run = RuleFunction['run'];

const takes = (argumentsMin: number, argumentsMax: number, run: Run): RuleFunction => ({
  argumentsMin,
  argumentsMax,
  run,
});

/** "attempts to convert the string to a Decimal" with this expression. */
const decimalPattern = /^-?\d+(\.\d+)?(E-?\d+)?$/i;

export function asNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && decimalPattern.test(value) ? Number(value) : undefined;
}

export function asText(value: Value): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const onNumber = (compute: (value: number) => number): RuleFunction =>
  takes(1, 1, ([value]) => {
    const number = asNumber(value);
    const result = number === undefined ? undefined : compute(number);
    return result !== undefined && Number.isFinite(result) ? result : undefined;
  });

const onText = (compute: (text: string) => Value): RuleFunction =>
  takes(1, 1, ([value]) => {
    const text = asText(value);
    return text === undefined ? undefined : compute(text);
  });

const onTexts = (compute: (left: string, right: string) => Value): RuleFunction =>
  takes(2, 2, ([left, right]) => {
    const first = asText(left);
    const second = asText(right);
    return first === undefined || second === undefined ? undefined : compute(first, second);
  });

const hash = (algorithm: string): RuleFunction =>
  onText((text) => createHash(algorithm).update(text).digest('hex'));

const messageFunctions: Record<string, RuleFunction> = {
  // "topic(n): returns the n-th segment", counted from 1.
  topic: takes(0, 1, ([position], context) => {
    if (position === undefined) return context.topic;
    const number = asNumber(position);
    return number === undefined ? undefined : context.topic.split('/')[Math.floor(number) - 1];
  }),
  // "the current timestamp in milliseconds … as observed by the AWS IoT rules engine"
  timestamp: takes(0, 0, (_, context) => context.receivedAtMs),
  // "the ID of the MQTT client sending the message, or n/a if the message wasn't sent over MQTT"
  clientid: takes(0, 0, (_, context) => context.clientId),
  principal: takes(0, 0, (_, context) => context.principal),
  accountid: takes(0, 0, (_, context) => context.accountId),
  newuuid: takes(0, 0, (_, context) => context.newUuid()),
  encode: takes(2, 2, ([value, scheme]) => {
    const text = asText(value);
    return scheme !== 'base64' || text === undefined
      ? undefined
      : Buffer.from(text).toString('base64');
  }),
  decode: takes(2, 2, ([value, scheme]) =>
    scheme === 'base64' ? decodedBase64(value) : undefined,
  ),
};

const valueFunctions: Record<string, RuleFunction> = {
  isnull: takes(1, 1, ([value]) => value === null),
  isundefined: takes(1, 1, ([value]) => value === undefined),
  get: takes(2, 2, ([collection, key]) => itemOf(collection, key)),
  abs: onNumber(Math.abs),
  ceil: onNumber(Math.ceil),
  floor: onNumber(Math.floor),
  // "Round(-1.5) = -2": halves go away from zero.
  round: onNumber((value) => Math.sign(value) * Math.round(Math.abs(value))),
  sqrt: onNumber(Math.sqrt),
  mod: takes(2, 2, ([left, right]) => {
    const result = (asNumber(left) ?? Number.NaN) % (asNumber(right) ?? Number.NaN);
    return Number.isFinite(result) ? result : undefined;
  }),
  power: takes(2, 2, ([left, right]) => {
    const result = (asNumber(left) ?? Number.NaN) ** (asNumber(right) ?? Number.NaN);
    return Number.isFinite(result) ? result : undefined;
  }),
};

const textFunctions: Record<string, RuleFunction> = {
  // "If any argument is an Array, the result is a single array containing all of the arguments."
  concat: takes(0, 20, (args) => {
    if (args.some(isArray)) return args.filter((item) => item !== undefined).flat() as Json;
    const texts = args.map(asText).filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join('');
  }),
  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),
  trim: onText((text) => text.trim()),
  length: onText((text) => text.length),
  numbytes: onText((text) => Buffer.byteLength(text)),
  startswith: onTexts((text, start) => text.startsWith(start)),
  endswith: onTexts((text, end) => text.endsWith(end)),
  indexof: onTexts((text, part) => text.indexOf(part)),
  regexp_matches: onTexts((text, pattern) => regexp(pattern)?.test(text)),
  regexp_substr: onTexts((text, pattern) => regexp(pattern)?.exec(text)?.[0]),
  replace: takes(3, 3, ([value, from, to]) => {
    const [text, part, put] = [asText(value), asText(from), asText(to)];
    if (text === undefined || part === undefined || put === undefined) return undefined;
    return text.replaceAll(part, put);
  }),
  substring: takes(2, 3, ([value, from, to]) => {
    const [text, start] = [asText(value), asNumber(from)];
    const end = to === undefined ? Number.POSITIVE_INFINITY : asNumber(to);
    if (text === undefined || start === undefined || end === undefined) return undefined;
    // "Indices that are less than zero are set to zero."
    return text.slice(Math.max(0, start), Math.max(0, end));
  }),
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),
};

export const ruleFunctions: Readonly<Record<string, RuleFunction | undefined>> = Object.assign(
  Object.create(null) as Record<string, RuleFunction>,
  messageFunctions,
  valueFunctions,
  textFunctions,
);

/** "If the decoded string is a JSON document, an addressable object is returned." */
function decodedBase64(value: Value): Value {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/\s]*={0,2}$/.test(value)) return null;
  const text = Buffer.from(value, 'base64').toString();
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Lists and texts by their number, "converted to Int"; objects by the name as it is. */
function itemOf(collection: Value, key: Value): Value {
  if (isObject(collection)) return memberOf(collection, key);
  const at = Math.floor(asNumber(key) ?? -1);
  if (typeof collection === 'string') return at < 0 ? undefined : collection[at];
  return isArray(collection) && at >= 0 ? collection[at] : undefined;
}

export function memberOf(collection: Value, key: Value): Value {
  if (isObject(collection) && typeof key === 'string') return field(collection, key);
  if (isArray(collection) && typeof key === 'number') return collection[key];
  return undefined;
}

function regexp(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
