import type { Binary, Expression, FunctionName } from './parse-expression.ts';

/**
 * What an expression comes to for one cluster. It cannot fail otherwise than with a sentence: a
 * name that is not there, a text where a number is needed, a division by zero, or no fuel left.
 */
export type Scalar = number | string | boolean;

export type Scope = {
  readonly state: ReadonlyMap<string, Scalar>;
  readonly parameters: ReadonlyMap<string, Scalar>;
  /** What earlier steps calculated for this cluster. */
  readonly calculated: ReadonlyMap<string, Scalar>;
};

/** Operations left; one tank for all that a selection calculates for a cluster. */
export type Fuel = { left: number };

export type Result =
  | { readonly ok: true; readonly value: Scalar }
  /** `missing`: only that some name is not there. */
  | { readonly ok: false; readonly reason: string; readonly missing: boolean };

export function evaluateExpression(expression: Expression, scope: Scope, fuel: Fuel): Result {
  try {
    return { ok: true, value: worthOf(expression, scope, fuel) };
  } catch (error) {
    if (error instanceof Unknown) return { ok: false, reason: error.message, missing: true };
    if (error instanceof Impossible) return { ok: false, reason: error.message, missing: false };
    throw error;
  }
}

class Impossible extends Error {}
class Unknown extends Impossible {}

function worthOf(expression: Expression, scope: Scope, fuel: Fuel): Scalar {
  if (--fuel.left < 0) throw new Impossible('the expressions cost too much to calculate');
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'name':
      return lookUp(expression.name, expression.of, scope);
    case 'not':
      return !truth(worthOf(expression.inner, scope, fuel), '!');
    case 'minus':
      return -amount(worthOf(expression.inner, scope, fuel), '-');
    case 'call':
      return called(
        expression.name,
        expression.inner.map((inner) => amount(worthOf(inner, scope, fuel), expression.name)),
      );
    case 'binary':
      return combined(expression, scope, fuel);
  }
}

function lookUp(name: string, of: 'any' | 'state' | 'parameter', scope: Scope): Scalar {
  const { state, parameters, calculated } = scope;
  const places = { any: [state, parameters, calculated], state: [state], parameter: [parameters] };
  const found = places[of].find((place) => place.has(name))?.get(name);
  if (found === undefined) throw new Unknown(`${of === 'any' ? '' : `${of}.`}${name} is not known`);
  return found;
}

function combined(
  { sign, left, right }: Expression & { readonly kind: 'binary' },
  scope: Scope,
  fuel: Fuel,
): Scalar {
  const a = worthOf(left, scope, fuel);
  if (sign === '&&') return truth(a, sign) && truth(worthOf(right, scope, fuel), sign);
  if (sign === '||') return truth(a, sign) || truth(worthOf(right, scope, fuel), sign);
  const b = worthOf(right, scope, fuel);
  if (sign === '==') return a === b;
  if (sign === '!=') return a !== b;
  if (sign === '<' || sign === '<=' || sign === '>' || sign === '>=') return ordered(sign, a, b);
  return finite(calculated(sign, amount(a, sign), amount(b, sign)));
}

function ordered(sign: '<' | '<=' | '>' | '>=', a: Scalar, b: Scalar): boolean {
  const order =
    typeof a === 'string' && typeof b === 'string'
      ? Number(a > b) - Number(a < b)
      : amount(a, sign) - amount(b, sign);
  if (sign === '<') return order < 0;
  if (sign === '<=') return order <= 0;
  return sign === '>' ? order > 0 : order >= 0;
}

function calculated(sign: Exclude<Binary, '&&' | '||'>, a: number, b: number): number {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      if (b === 0) throw new Impossible('a division by zero');
      return sign === '/' ? a / b : a % b;
  }
}

function called(name: FunctionName, values: readonly number[]): number {
  return Math[name](...(values as [number]));
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Impossible('a number beyond all bounds');
  return value;
}

function amount(value: Scalar, at: string): number {
  if (typeof value === 'number') return finite(value);
  throw new Impossible(`"${at}" needs a number, not ${JSON.stringify(value)}`);
}

function truth(value: Scalar, at: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new Impossible(`"${at}" needs true or false, not ${JSON.stringify(value)}`);
}
