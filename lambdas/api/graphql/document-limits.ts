import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import {
  graphqlBracketsMax,
  graphqlCostMax,
  graphqlDepthMax,
  graphqlTokensMax,
  listLimitDefault,
} from '../../../core/model/limits.ts';

/**
 * How deep a document asks and how much it could cost, counted before anything is run. A list
 * multiplies what is below it by the number of its items. A fragment counts wherever it is spread,
 * and the spreading itself counts too: a few that spread the next one twice unfold to millions.
 * Each is measured once, so that counting takes no longer than reading. Looking at the schema is
 * free: it is a constant.
 */
export type DocumentMeasure = { readonly depth: number; readonly cost: number };

type Variables = Readonly<Record<string, unknown>>;

export function measureDocument(document: DocumentNode, given: Variables): DocumentMeasure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  let worst: DocumentMeasure = { depth: 0, cost: 0 };
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const variables = { ...defaultsOf(definition), ...given };
    const reading: Reading = { fragments, variables, measured: new Map() };
    const part = measureSelection(definition.selectionSet, reading, 0);
    worst = {
      depth: Math.max(worst.depth, part.depth, part.chain),
      cost: Math.max(worst.cost, part.cost + part.spreads),
    };
  }
  return worst;
}

/** What variables are when the request does not name them: numbers, which is what lists go by. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  const numbers = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue?.kind === Kind.INT ? [[variable.name.value, Number(defaultValue.value)]] : [],
  );
  return Object.fromEntries(numbers);
}

/**
 * Why the text of a document is not even parsed: the parser calls itself for each bracket, and a
 * few thousand of them end it. Syntax errors are the parser's to find.
 */
export function nestingRefusal(text: string): string | null {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  for (let tokens = 0; tokens < graphqlTokensMax; tokens++) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return null;
    if (opening.has(kind)) open += 1;
    if (closing.has(kind)) open -= 1;
    if (open > graphqlBracketsMax) {
      return `A query has at most ${graphqlBracketsMax} brackets open at once.`;
    }
  }
  return null;
}

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

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

type Reading = {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Variables;
  /** Fragments by name and by the depth they are spread at; `nothing` while one is being read. */
  readonly measured: Map<string, Part>;
};

/** What a part of a document adds, asked for once. */
type Part = {
  readonly depth: number;
  readonly cost: number;
  /** Spreads in it, unfolded. */
  readonly spreads: number;
  /** Fragments that are spread one within the other. */
  readonly chain: number;
};

function measureSelection(selection: SelectionSetNode, reading: Reading, depth: number): Part {
  let whole: Part = { depth, cost: 0, spreads: 0, chain: 0 };
  if (depth > graphqlDepthMax * 2) return whole;
  for (const node of selection.selections) {
    const part = measureNode(node, reading, depth);
    whole = {
      depth: Math.max(whole.depth, part.depth),
      cost: whole.cost + part.cost,
      spreads: whole.spreads + part.spreads,
      chain: Math.max(whole.chain, part.chain),
    };
  }
  return whole;
}

function measureNode(node: SelectionNode, reading: Reading, depth: number): Part {
  switch (node.kind) {
    case Kind.FIELD:
      if (node.name.value.startsWith('__')) return { depth, cost: 0, spreads: 0, chain: 0 };
      return measureField(node, reading, depth + 1);
    case Kind.INLINE_FRAGMENT:
      return measureSelection(node.selectionSet, reading, depth);
    case Kind.FRAGMENT_SPREAD:
      return measureSpread(node.name.value, reading, depth);
  }
}

function measureSpread(name: string, reading: Reading, depth: number): Part {
  const key = `${name} at ${depth}`;
  const known = reading.measured.get(key);
  if (known !== undefined) return known;
  const nothing: Part = { depth, cost: 0, spreads: 0, chain: 0 };
  const fragment = reading.fragments.get(name);
  if (fragment === undefined) return nothing;
  // One that comes back to itself is refused by the validation, in its own words.
  reading.measured.set(key, nothing);
  const inner = measureSelection(fragment.selectionSet, reading, depth);
  const part = { ...inner, spreads: inner.spreads + 1, chain: inner.chain + 1 };
  reading.measured.set(key, part);
  return part;
}

const connections = new Set(['jobs', 'edges', 'executions', 'offers']);
const wrappers = new Set(['edges', 'nodes', 'node', 'pageInfo']);
/** An edge holds a handful of leases. */
const leasesExpected = 8;
/** What lists below the first level hold by default, as the schema says. */
const nestedDefault = 20;
const mutationCost = 10;
const mutations = new Set(['submit', 'cancel', 'cancelChunks', 'cordon', 'uncordon', 'drain']);

function measureField(field: FieldNode, reading: Reading, depth: number): Part {
  const name = field.name.value;
  if (field.selectionSet === undefined) return { depth, cost: 0, spreads: 0, chain: 0 };
  const isWrapper = wrappers.has(name) && (field.arguments ?? []).length === 0 && depth > 1;
  if (isWrapper) return measureSelection(field.selectionSet, reading, depth - 1);
  const own = mutations.has(name) ? mutationCost : 1;
  const inner = measureSelection(field.selectionSet, reading, depth);
  return { ...inner, cost: own + inner.cost * itemsOf(field, reading.variables, depth) };
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
