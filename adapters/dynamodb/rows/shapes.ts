import { isCount, isRecord } from '../../../core/protocol/json.ts';

/**
 * What the nested values of a row must look like. Rows are read on every pass, so these are plain
 * functions and no schemas: they say yes or no, and what they do not name is left to whoever wrote
 * it, a later version for one.
 */
export type Shape = (value: unknown) => boolean;

export const isText: Shape = (value) => typeof value === 'string';
export const isFlag: Shape = (value) => typeof value === 'boolean';
export const isAmount: Shape = (value) => typeof value === 'number' && Number.isFinite(value);
/** A time that can be shown; ECMAScript ends dates there. */
export const isTime: Shape = (value) =>
  isAmount(value) && (value as number) >= 0 && (value as number) <= 8.64e15;
/** What is added up: sums stay numbers. */
export const isFigure: Shape = (value) =>
  isAmount(value) && Math.abs(value as number) <= Number.MAX_SAFE_INTEGER;
export const isPositive: Shape = (value) => isAmount(value) && (value as number) > 0;
export const isWhole: Shape = isCount;
/** An exit code, or a short text. */
export const isFailure: Shape = (value) => isText(value) || isAmount(value);

export function upTo(max: number): Shape {
  return (value) => isCount(value) && value <= max;
}

export function orNull(shape: Shape): Shape {
  return (value) => value === null || shape(value);
}

/** Also of what an earlier version did not write. */
export function optional(shape: Shape): Shape {
  return (value) => value === undefined || shape(value);
}

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

export function tupleOf(...shapes: readonly Shape[]): Shape {
  return (value) =>
    Array.isArray(value) &&
    value.length === shapes.length &&
    shapes.every((shape, at) => shape(value[at]));
}

/** Names from outside, each with a value of one kind. */
export function tableOf(shape: Shape): Shape {
  return (value) => isRecord(value) && Object.values(value).every(shape);
}

export function recordOf(shapes: Readonly<Record<string, Shape>>): Shape {
  const fields = Object.entries(shapes);
  return (value) =>
    isRecord(value) &&
    fields.every(([name, shape]) => shape(Object.hasOwn(value, name) ? value[name] : undefined));
}
