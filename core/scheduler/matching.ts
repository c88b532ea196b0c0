import type { WaitingReason } from '../contract/waiting-reason.ts';
import type { CellEdge, EdgeFacts, Intent } from '../model/cell.ts';
import { type Expression, executorOf, haveArchives } from '../model/job.ts';
import { compareVersions, isVersion } from '../model/versions.ts';
import { namedValue } from '../protocol/named-values.ts';
import { inputsHaveNames } from '../sweeps/fill-inputs.ts';
import { haveNames } from '../sweeps/fill-patterns.ts';

/**
 * Whether an edge is of the kind a job asks for, whatever is free there now. The same function
 * places and explains. Labels of users override labels of the edge. Keys of expressions address
 * labels (`labels.site`, `site`) and facts (`facts.os.version`, `os.version`); versions compare as
 * versions.
 */
export type Mismatch = { readonly reason: WaitingReason; readonly detail: string };

export function mismatchOf(
  edge: Pick<CellEdge, 'name' | 'config' | 'facts'>,
  spec: Pick<
    Intent['spec'],
    'requires' | 'run' | 'inputs' | 'outputs' | 'sweep' | 'chunkOffsets' | 'restart'
  >,
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
  if (spec.inputs !== undefined && namedValue(edge.facts?.flat, 'cacheBytes') === undefined) {
    return { reason: 'expression-does-not-match', detail: 'its agent does not fetch files' };
  }
  const isPacked = spec.inputs !== undefined && haveArchives(spec.inputs);
  if (isPacked && namedValue(edge.facts?.flat, 'unpacks') !== true) {
    return { reason: 'expression-does-not-match', detail: 'its agent does not unpack archives' };
  }
  const isFilled = spec.inputs !== undefined && inputsHaveNames(spec.inputs);
  if (isFilled && namedValue(edge.facts?.flat, 'fillsInputs') !== true) {
    const detail = 'its agent does not replace names in inputs';
    return { reason: 'expression-does-not-match', detail };
  }
  const asks = spec.sweep === true && executor !== 'simulate';
  if (asks && namedValue(edge.facts?.flat, 'parameters') !== true) {
    return { reason: 'expression-does-not-match', detail: 'its agent does not know parameters' };
  }
  const isPart = spec.chunkOffsets !== undefined && executor !== 'simulate';
  if (isPart && namedValue(edge.facts?.flat, 'chunkOffsets') !== true) {
    const detail = 'its agent does not know other numbers of chunks';
    return { reason: 'expression-does-not-match', detail };
  }
  if (spec.outputs !== undefined && namedValue(edge.facts?.flat, 'sendsFiles') === undefined) {
    return { reason: 'expression-does-not-match', detail: 'its agent does not send files' };
  }
  const isNamed = spec.outputs !== undefined && haveNames(spec.outputs.paths);
  if (isNamed && namedValue(edge.facts?.flat, 'fillsPaths') !== true) {
    const detail = 'its agent does not replace names in paths';
    return { reason: 'expression-does-not-match', detail };
  }
  if (spec.restart !== undefined && namedValue(edge.facts?.flat, 'services') !== true) {
    return { reason: 'expression-does-not-match', detail: 'its agent does not run services' };
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
  if (!isVersion(String(actual)) || !isVersion(String(value))) return false;
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

function textOf({ key, op, value }: Expression): string {
  const shown = typeof value === 'object' ? value.join(', ') : (value ?? '');
  return `${key} ${op} ${shown}`.trim();
}
