import type { Facts, FactValue } from '../protocol/facts.ts';
import { isRecord } from '../protocol/json.ts';
import { namedValue, newTable } from '../protocol/named-values.ts';
import type { EdgeFacts } from './cell.ts';
import type { ResourceVector } from './job.ts';
import {
  edgeLabelsMax,
  factDepthMax,
  factLeavesMax,
  factTextLengthMax,
  labelLengthMax,
} from './limits.ts';

/**
 * Facts as an edge says them, and the part of them that its cell keeps beside it: capacity, labels,
 * and the leaves that expressions address. Both are read as hostile input; what makes no sense is
 * left out rather than guessed at.
 */
export function cellFactsOf(facts: Facts): EdgeFacts {
  return { capacity: facts.capacity, labels: facts.labels, flat: flattenFacts(facts.facts) };
}

/**
 * `{os: {version: "12"}}` becomes `{"os.version": "12"}`; the first leaves only, long texts cut.
 */
export function flattenFacts(facts: Facts['facts']): EdgeFacts['flat'] {
  const flat = newTable<string | number | boolean>();
  let leaves = 0;
  const visit = (prefix: string, tree: Readonly<Record<string, FactValue>>, depth: number) => {
    for (const [name, value] of Object.entries(tree)) {
      const key = prefix === '' ? name : `${prefix}.${name}`;
      if (typeof value === 'object') {
        if (depth < factDepthMax) visit(key, value, depth + 1);
      } else if (leaves < factLeavesMax) {
        leaves++;
        flat[key] = typeof value === 'string' ? value.slice(0, factTextLengthMax) : value;
      }
    }
  };
  visit('', facts, 1);
  return flat;
}

/**
 * States of a disk, as agents tell them in the fact `health`, in which no result could be kept:
 * such an edge starts nothing, so it must not be given anything either.
 */
const diskTroubles: ReadonlySet<unknown> = new Set(['disk-full', 'read-only', 'disk-failing']);

/** What is wrong with the edge's disk; `null` when it takes results, or nothing was said of it. */
export function diskTroubleOf(facts: EdgeFacts | null): string | null {
  const health = namedValue(facts?.flat, 'health');
  return diskTroubles.has(health) ? String(health) : null;
}

/** `null` when it holds no capacity: then it says nothing that the scheduler could use. */
export function parseFacts(value: unknown): Facts | null {
  if (!isRecord(value) || !isRecord(value.capacity)) return null;
  const capacity = amountsOf(value.capacity);
  const { power } = capacity;
  if (power === undefined) return null;
  return {
    capacity: { ...capacity, power } as ResourceVector,
    labels: labelsOf(value.labels),
    facts: treeOf(value.facts, 1),
  };
}

function amountsOf(value: Record<string, unknown>): Record<string, number> {
  const out = newTable<number>();
  for (const [name, amount] of Object.entries(value)) {
    if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) out[name] = amount;
  }
  return out;
}

function labelsOf(value: unknown): Record<string, string> {
  const out = newTable<string>();
  if (!isRecord(value)) return out;
  for (const [name, label] of Object.entries(value).slice(0, edgeLabelsMax)) {
    if (typeof label === 'string') out[name] = label.slice(0, labelLengthMax);
  }
  return out;
}

function treeOf(value: unknown, depth: number): Record<string, FactValue> {
  const out = newTable<FactValue>();
  if (!isRecord(value) || depth > factDepthMax) return out;
  for (const [name, fact] of Object.entries(value)) {
    if (isRecord(fact)) out[name] = treeOf(fact, depth + 1);
    else if (typeof fact === 'string' || typeof fact === 'boolean') out[name] = fact;
    else if (typeof fact === 'number' && Number.isFinite(fact)) out[name] = fact;
  }
  return out;
}
