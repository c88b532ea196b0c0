/**
 * Numbers of filters compare as they are written: "For numbers, Lambda also uses string
 * representation. For example, 300, 300.0, and 3.0e2 are not considered equal."
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html). A number that is
 * written in another way than JavaScript would write it keeps its text.
 */
import type { Json } from '../../../../assembly/assembly.ts';

export class WrittenNumber {
  readonly value: number;
  readonly text: string;

  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** A value without parts. */
export type Leaf = null | boolean | number | string | WrittenNumber;

/** `JSON.parse` that keeps how numbers are written. Throws as it does. */
export function parseExactly(text: string): Json {
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    const isOther = typeof value === 'number' && source !== undefined && String(value) !== source;
    return isOther ? new WrittenNumber(value, source) : value;
  };
  return JSON.parse(text, keep) as Json;
}

export function sameLeaf(a: Leaf, b: Leaf): boolean {
  if (!isNumber(a) || !isNumber(b)) return a === b;
  return numberText(a) === numberText(b);
}

/** Undefined for what is not a number. */
export function numberOf(leaf: Leaf): number | undefined {
  if (leaf instanceof WrittenNumber) return leaf.value;
  return typeof leaf === 'number' ? leaf : undefined;
}

export function isNumber(leaf: unknown): leaf is number | WrittenNumber {
  return typeof leaf === 'number' || leaf instanceof WrittenNumber;
}

function numberText(leaf: number | WrittenNumber): string {
  return typeof leaf === 'number' ? String(leaf) : leaf.text;
}
