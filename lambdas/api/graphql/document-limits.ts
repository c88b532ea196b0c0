import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { graphqlCostMax, graphqlDepthMax, listLimitDefault } from '../../../core/model/limits.ts';

/**
 * How deep a document asks and how much it could cost, counted before anything is run. A list
 * multiplies what is below it by the number of its items. Looking at the schema is free: it is a
 * constant.
 */
export type DocumentMeasure = { readonly depth: number; readonly cost: number };

type Variables = Readonly<Record<string, unknown>>;

export function measureDocument(document: DocumentNode, variables: Variables): DocumentMeasure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  let worst: DocumentMeasure = { depth: 0, cost: 0 };
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const measure = measureSelection(definition.selectionSet, fragments, variables, 0, 1);
    worst = {
      depth: Math.max(worst.depth, measure.depth),
      cost: Math.max(worst.cost, measure.cost),
    };
  }
  return worst;
}

/** `null`: within the limits. */
export function refusalOf(measure: DocumentMeasure): string | null {
  if (measure.depth > graphqlDepthMax) {
    return `A query nests at most ${graphqlDepthMax} levels; this one has ${measure.depth}.`;
  }
  if (measure.cost > graphqlCostMax) {
    const most = `A query may cost ${graphqlCostMax}`;
    return `${most}; this one costs ${Math.round(measure.cost)}. Ask for fewer items a page.`;
  }
  return null;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/**
 * Stops counting once it is far beyond the limit, so that a document of nested fragments cannot
 * cost time.
 */
const costEnough = graphqlCostMax * 100;

function measureSelection(
  selection: SelectionSetNode,
  fragments: Fragments,
  variables: Variables,
  depth: number,
  times: number,
): DocumentMeasure {
  let deepest = depth;
  let cost = 0;
  for (const node of selection.selections) {
    if (cost > costEnough || depth > graphqlDepthMax * 2) break;
    if (node.kind === Kind.FIELD) {
      if (node.name.value.startsWith('__')) continue;
      const inner = measureField(node, fragments, variables, depth + 1, times);
      deepest = Math.max(deepest, inner.depth);
      cost += inner.cost;
      continue;
    }
    const set =
      node.kind === Kind.INLINE_FRAGMENT
        ? node.selectionSet
        : fragments.get(node.name.value)?.selectionSet;
    if (set === undefined) continue;
    const inner = measureSelection(set, fragments, variables, depth, times);
    deepest = Math.max(deepest, inner.depth);
    cost += inner.cost;
  }
  return { depth: deepest, cost };
}

const connections = new Set(['jobs', 'edges', 'executions']);
const wrappers = new Set(['edges', 'nodes', 'node', 'pageInfo']);
/** An edge holds a handful of leases. */
const leasesExpected = 8;
/** What lists below the first level hold unless said, as the schema says. */
const nestedDefault = 20;
const mutationCost = 10;
const mutations = new Set(['submit', 'cancel', 'cordon', 'uncordon', 'drain']);

function measureField(
  field: FieldNode,
  fragments: Fragments,
  variables: Variables,
  depth: number,
  times: number,
): DocumentMeasure {
  const name = field.name.value;
  if (field.selectionSet === undefined) return { depth, cost: 0 };
  const isWrapper = wrappers.has(name) && (field.arguments ?? []).length === 0 && depth > 1;
  const own = isWrapper ? 0 : times * (mutations.has(name) ? mutationCost : 1);
  const items = isWrapper ? 1 : itemsOf(field, variables, depth);
  const below = isWrapper ? depth - 1 : depth;
  const inner = measureSelection(field.selectionSet, fragments, variables, below, times * items);
  return { depth: inner.depth, cost: own + inner.cost };
}

function itemsOf(field: FieldNode, variables: Variables, depth: number): number {
  const name = field.name.value;
  if (name === 'leases') return leasesExpected;
  if (!connections.has(name)) return 1;
  const first = field.arguments?.find((argument) => argument.name.value === 'first')?.value;
  if (first?.kind === Kind.INT) return Math.max(1, Number(first.value));
  if (first?.kind === Kind.VARIABLE) {
    const value = variables[first.name.value];
    if (typeof value === 'number') return Math.max(1, value);
  }
  return depth === 1 ? listLimitDefault : nestedDefault;
}
