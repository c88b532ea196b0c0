/** Runs a parsed rule over one message. Undefined values are left out of the result. */
import { equal, isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { BinaryOperator, Expression } from './expression-tree.ts';
import {
  asNumber,
  asText,
  type MessageContext,
  memberOf,
  ruleFunctions,
  type Value,
} from './functions.ts';
import type { Projection, RuleQuery } from './sql.ts';

/** The result of the SELECT, or undefined when the WHERE does not hold. */
export function runQuery(query: RuleQuery, payload: Value, context: MessageContext): Value {
  if (query.where !== undefined && evaluate(query.where, payload, context) !== true) {
    return undefined;
  }
  if (query.single !== undefined) return evaluate(query.single, payload, context);
  return query.projections.reduce<JsonObject>(
    (result, projection) => project(result, projection, payload, context),
    {},
  );
}

function project(
  result: JsonObject,
  projection: Projection,
  payload: Value,
  context: MessageContext,
): JsonObject {
  if (projection.kind === 'everything') {
    return isObject(payload) ? { ...result, ...payload } : result;
  }
  const value = evaluate(projection.value, payload, context);
  return value === undefined ? result : placed(result, projection.path, value);
}

/** "AS a.b" puts the value at b inside an object a. */
function placed(target: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [first, ...rest] = path;
  if (first === undefined) return target;
  const inner = target[first];
  return {
    ...target,
    [first]: rest.length === 0 ? value : placed(isObject(inner) ? inner : {}, rest, value),
  };
}

export function evaluate(expression: Expression, payload: Value, context: MessageContext): Value {
  const run = (part: Expression): Value => evaluate(part, payload, context);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'everything':
      return payload;
    case 'name':
      return memberOf(payload, expression.name);
    case 'member':
      return memberOf(run(expression.of), run(expression.key));
    case 'call':
      // encode(*, 'base64') takes the message as it came, JSON or not.
      return expression.name === 'encode' && expression.args[0]?.kind === 'everything'
        ? context.payloadBase64
        : ruleFunctions[expression.name]?.run(expression.args.map(run), context);
    case 'cast':
      return cast(run(expression.value), expression.type);
    case 'unary':
      return expression.operator === 'not'
        ? not(run(expression.value))
        : minus(run(expression.value));
    case 'binary':
      return binary(expression.operator, expression.left, expression.right, run);
    case 'array':
      return expression.items.map(run).filter((item) => item !== undefined);
    case 'object':
      return Object.fromEntries(
        expression.entries
          .map(([key, item]) => [key, run(item)] as const)
          .filter((entry): entry is [string, Json] => entry[1] !== undefined),
      );
  }
}

/** "Boolean operands or case insensitive "true" or "false" string operands are required." */
function asBoolean(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

function not(value: Value): Value {
  const operand = asBoolean(value);
  return operand === undefined ? undefined : !operand;
}

function minus(value: Value): Value {
  const number = asNumber(value);
  return number === undefined ? undefined : -number;
}

function binary(
  operator: BinaryOperator,
  leftPart: Expression,
  rightPart: Expression,
  run: (part: Expression) => Value,
): Value {
  const left = run(leftPart);
  const right = run(rightPart);
  if (operator === 'and' || operator === 'or') return logical(left, right, operator);
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    // "Mismatched type: False": a text is never equal to a number.
    case '=':
      return equal(left, right);
    case '<>':
      return !equal(left, right);
    case 'in':
      return isArray(right) ? right.some((item) => equal(item, left)) : undefined;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, left, right);
    default:
      return arithmetic(operator, left, right);
  }
}

/** "Other value: Undefined", on either side. */
function logical(left: Value, right: Value, operator: 'and' | 'or'): Value {
  const [first, second] = [asBoolean(left), asBoolean(right)];
  if (first === undefined || second === undefined) return undefined;
  return operator === 'and' ? first && second : first || second;
}

/** "Both operands are converted to a Decimal, and then compared." */
function ordered(operator: '<' | '<=' | '>' | '>=', left: Json, right: Json): Value {
  const [first, second] = [asNumber(left), asNumber(right)];
  if (first === undefined || second === undefined) return undefined;
  if (operator === '<') return first < second;
  if (operator === '<=') return first <= second;
  return operator === '>' ? first > second : first >= second;
}

function arithmetic(operator: BinaryOperator, left: Json, right: Json): Value {
  // "+ : if either operand is a String, the result is the concatenation"
  if (operator === '+' && (typeof left === 'string' || typeof right === 'string')) {
    const [first, second] = [asText(left), asText(right)];
    return first === undefined || second === undefined ? undefined : first + second;
  }
  const [first, second] = [asNumber(left), asNumber(right)];
  if (first === undefined || second === undefined) return undefined;
  const result = calculate(operator, first, second);
  return Number.isFinite(result) ? result : undefined;
}

function calculate(operator: BinaryOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '%':
      return left % right;
    default:
      // "If both are Int, the result is an Int"
      return Number.isInteger(left) && Number.isInteger(right)
        ? Math.trunc(left / right)
        : left / right;
  }
}

function cast(value: Value, type: string): Value {
  if (value === undefined || value === null) return undefined;
  if (type === 'bool' || type === 'boolean') {
    return typeof value === 'number' ? value !== 0 : asBoolean(value);
  }
  if (type === 'int' || type === 'integer' || type === 'double' || type === 'decimal') {
    const number = typeof value === 'boolean' ? Number(value) : asNumber(value);
    if (number === undefined) return undefined;
    return type.startsWith('int') ? Math.floor(number) : number;
  }
  return asText(value);
}
