import type { WaitingReason } from '../contract/waiting-reason.ts';
import type { CellEdge, EdgeFacts, Intent } from '../model/cell.ts';
import { type Expression, executorOf } from '../model/job.ts';
import { namedValue } from '../protocol/named-values.ts';

/**
 * Whether an edge is of the kind a job asks for, whatever is free there now. The same function
 * places and explains. Labels of users override labels of the edge. Keys of expressions address
 * labels (`labels.site`, `site`) and facts (`facts.os.version`, `os.version`); versions compare as
 * versions.
 */
export type Mismatch = { readonly reason: WaitingReason; readonly detail: string };

export function mismatchOf(
  edge: Pick<CellEdge, 'name' | 'config' | 'facts'>,
  spec: Pick<Intent['spec'], 'requires' | 'run'>,
): Mismatch | null {
  const { labels, expressions, edges } = spec.requires;
  if (edges.length > 0 && !edges.includes(edge.name)) {
    return { reason: 'labels-do-not-match', detail: 'not one of the named edges' };
  }
  for (const key in labels) {
    const value = labelOf(edge, key);
    if (value !== labels[key]) {
      return { reason: 'labels-do-not-match', detail: `label ${key} is not ${labels[key]}` };
    }
  }
  const executor = executorOf(spec.run);
  if (!runs(edge.facts, executor)) {
    return { reason: 'expression-does-not-match', detail: `has no ${executor} executor` };
  }
  for (const expression of expressions) {
    if (!holds(expression, factOf(edge, expression.key))) {
      return { reason: 'expression-does-not-match', detail: textOf(expression) };
    }
  }
  return null;
}

/** What a user set comes before what the edge says. */
export function labelOf(
  { config, facts }: Pick<CellEdge, 'config' | 'facts'>,
  name: string,
): string | undefined {
  return namedValue(config.labels, name) ?? namedValue(facts?.labels, name);
}

/** Executors that the facts name; `null` when they name none, so that anything may be tried. */
const listed = new WeakMap<EdgeFacts, ReadonlySet<string> | null>();

function runs(facts: EdgeFacts | null, executor: string): boolean {
  if (facts === null) return executor === 'simulate';
  let names = listed.get(facts);
  if (names === undefined) {
    const prefix = 'executors.';
    const keys = Object.keys(facts.flat).filter((key) => key.startsWith(prefix));
    const present = keys.filter((key) => facts.flat[key] !== false);
    names = keys.length === 0 ? null : new Set(present.map((key) => key.slice(prefix.length)));
    listed.set(facts, names);
  }
  return names === null || names.has(executor);
}

type Leaf = string | number | boolean;

function factOf(edge: Pick<CellEdge, 'config' | 'facts'>, key: string): Leaf | undefined {
  const label = key.startsWith('labels.') ? key.slice('labels.'.length) : null;
  if (label !== null) return labelOf(edge, label);
  const fact = key.startsWith('facts.') ? key.slice('facts.'.length) : key;
  return namedValue(edge.facts?.flat, fact) ?? (fact === key ? labelOf(edge, key) : undefined);
}

function holds({ op, value }: Expression, actual: Leaf | undefined): boolean {
  switch (op) {
    case 'exists':
      return actual !== undefined;
    case 'notExists':
      return actual === undefined;
    case 'in':
      return actual !== undefined && listOf(value).some((item) => same(actual, item));
    case 'notIn':
      return actual === undefined || !listOf(value).some((item) => same(actual, item));
    case '=':
      return actual !== undefined && listOf(value).some((item) => same(actual, item));
    case '!=':
      return actual === undefined || !listOf(value).some((item) => same(actual, item));
  }
  if (actual === undefined || value === undefined || typeof value === 'object') return false;
  const order = compareVersions(String(actual), String(value));
  if (op === '>') return order > 0;
  if (op === '>=') return order >= 0;
  return op === '<' ? order < 0 : order <= 0;
}

function listOf(value: Expression['value']): readonly Leaf[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [value];
}

function same(actual: Leaf, wanted: Leaf): boolean {
  return actual === wanted || String(actual) === String(wanted);
}

/**
 * Compares part by part: numbers as numbers (`5.10` is above `5.9`), letters as letters, and a
 * number above letters, so that `1.0-rc1` is below `1.0.1`; a missing part counts as zero, and a
 * pre-release is below its release.
 */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const x = left[i] ?? '0';
    const y = right[i] ?? '0';
    const xNumber = /^\d+$/.test(x);
    const yNumber = /^\d+$/.test(y);
    if (xNumber && yNumber) {
      const order = Number(x) - Number(y);
      if (order !== 0) return Math.sign(order);
    } else if (xNumber !== yNumber) {
      return xNumber ? 1 : -1;
    } else if (x !== y) {
      return x < y ? -1 : 1;
    }
  }
  return 0;
}

function partsOf(version: string): string[] {
  return version.replace(/^v(?=\d)/, '').match(/\d+|[a-z]+/gi) ?? [];
}

function textOf({ key, op, value }: Expression): string {
  const shown = typeof value === 'object' ? value.join(', ') : (value ?? '');
  return `${key} ${op} ${shown}`.trim();
}
