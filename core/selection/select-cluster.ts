import { evaluateExpression, type Fuel, type Result, type Scalar } from './evaluate-expression.ts';
import { selectionFuelMax } from './limits.ts';
import type { Pick, SelectionPriority, SelectionStep } from './priorities.ts';

/**
 * Which of the clusters that match gets a submission. The same clusters, states and seed always
 * give the same answer, in whatever order they come, so that a decision can be replayed.
 */
export type Candidate = {
  readonly name: string;
  readonly state: ReadonlyMap<string, Scalar>;
  /** How often the request would fit into what is free now; of the scarcest resource. */
  readonly freeTimes: number;
};

export type Algorithm =
  | { readonly name: 'freest' | 'first' | 'random' }
  | { readonly name: 'constraint'; readonly priorities: readonly SelectionPriority[] };

/** Why a cluster was left out, and at which step of which priority. */
export type Exclusion = {
  readonly cluster: string;
  readonly priority: number;
  readonly step: number;
  readonly reason: string;
};

export type Selection = {
  readonly algorithm: Algorithm['name'];
  readonly cluster: string | null;
  /** The priority that chose; `null` for algorithms without, and where none did. */
  readonly priority: number | null;
  readonly candidates: number;
  readonly excluded: readonly Exclusion[];
  readonly choices?: readonly ChoiceMade[];
};

/** Of `a|b` the one that it is, by the place where it is said. */
export type ChoiceMade = { readonly at: string; readonly chosen: string };

export function selectCluster(
  candidates: readonly Candidate[],
  algorithm: Algorithm,
  parameters: ReadonlyMap<string, Scalar>,
  seed: string,
): Selection {
  const byName = [...candidates].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (algorithm.name === 'constraint') {
    return byConstraint(byName, algorithm.priorities, parameters, seed);
  }
  return {
    algorithm: algorithm.name,
    cluster: simply(byName, algorithm.name, seed)?.name ?? null,
    priority: null,
    candidates: byName.length,
    excluded: [],
  };
}

function simply(
  candidates: readonly Candidate[],
  algorithm: 'freest' | 'first' | 'random',
  seed: string,
): Candidate | null {
  if (algorithm !== 'freest') return picked(candidates, algorithm, seed);
  let best: Candidate | null = null;
  for (const it of candidates) if (best === null || it.freeTimes > best.freeTimes) best = it;
  return best;
}

/** A cluster on its way through the steps of one priority. */
type Runner = Candidate & { readonly calculated: Map<string, Scalar>; readonly fuel: Fuel };

function byConstraint(
  candidates: readonly Candidate[],
  priorities: readonly SelectionPriority[],
  parameters: ReadonlyMap<string, Scalar>,
  seed: string,
): Selection {
  const excluded: Exclusion[] = [];
  const fuel = new Map(candidates.map(({ name }) => [name, { left: selectionFuelMax }]));
  const said = { algorithm: 'constraint', candidates: candidates.length, excluded } as const;
  for (const { priority, steps, pick } of priorities) {
    let left: Runner[] = candidates.map((it) => {
      return { ...it, calculated: new Map(), fuel: fuel.get(it.name)! };
    });
    for (const [at, step] of steps.entries()) {
      const out = (cluster: string, reason: string) =>
        excluded.push({ cluster, priority, step: at, reason });
      left = stepped(left, step, parameters, out);
    }
    const chosen = picked(left, pick, seed);
    if (chosen !== null) return { ...said, cluster: chosen.name, priority };
  }
  return { ...said, cluster: null, priority: null };
}

function stepped(
  runners: readonly Runner[],
  step: SelectionStep,
  parameters: ReadonlyMap<string, Scalar>,
  out: (cluster: string, reason: string) => void,
): Runner[] {
  const valueFor = ({ state, calculated, fuel }: Runner): Result =>
    evaluateExpression(step.expression, { state, parameters, calculated }, fuel);
  const left: Runner[] = [];
  const keys = new Map<Runner, Scalar | null>();
  for (const runner of runners) {
    const result = valueFor(runner);
    const reason = step.kind === 'filter' ? filtered(step.text, result, runner) : failed(result);
    // Whoever has no figure to be sorted by comes last, and stays.
    if (reason !== null && !(step.kind === 'sort' && !result.ok && result.missing)) {
      out(runner.name, reason);
      continue;
    }
    if (step.kind === 'calc' && result.ok) runner.calculated.set(step.name, result.value);
    keys.set(runner, result.ok ? result.value : null);
    left.push(runner);
  }
  if (step.kind === 'sort') left.sort((a, b) => compared(keys.get(a)!, keys.get(b)!, step.order));
  return left;
}

function failed(result: Result): string | null {
  return result.ok ? null : result.reason;
}

/** `nodes_free is 0` where the filter is about one name, the whole filter otherwise. */
function filtered(text: string, result: Result, { state }: Runner): string | null {
  if (!result.ok) return result.reason;
  if (result.value === true) return null;
  if (result.value !== false) return `"${text}" is neither true nor false`;
  const [name] = /^\s*[A-Za-z_]\w*/.exec(text) ?? [];
  const value = state.get(name?.trim() ?? '');
  return value === undefined ? `"${text}" does not hold` : `${name!.trim()} is ${String(value)}`;
}

/** Numbers before texts, texts before true and false, what is missing last in both directions. */
function compared(a: Scalar | null, b: Scalar | null, order: 'ascending' | 'descending'): number {
  const rank = (it: Scalar | null) =>
    it === null ? 3 : typeof it === 'number' ? 0 : typeof it === 'string' ? 1 : 2;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a === null || b === null || a === b) return 0;
  return (a < b ? -1 : 1) * (order === 'ascending' ? 1 : -1);
}

function picked<T>(from: readonly T[], pick: Pick, seed: string): T | null {
  if (pick === 'first') return from[0] ?? null;
  if (pick === 'last') return from.at(-1) ?? null;
  return from[drawn(seed, from.length)] ?? null;
}

/** A number below `count` that depends on all of the seed: FNV-1a, then a finishing mix. */
function drawn(seed: string, count: number): number {
  let hash = 2166136261;
  for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return count === 0 ? 0 : ((hash ^ (hash >>> 16)) >>> 0) % count;
}
