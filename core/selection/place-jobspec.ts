import {
  amountsOf,
  type Destination,
  jobsOf,
  type Placing,
} from '../contract/jobspec/job-bodies.ts';
import { choicesOf, type JobspecPlan, type Unit } from '../contract/jobspec/plan.ts';
import { runSizeOf, type Term } from '../contract/jobspec/terms.ts';
import { clusterOfHosts, type Host } from '../graph/hosts-cluster.ts';
import { type ClusterGraph, type Mismatch, match, satisfies } from '../graph/satisfy.ts';
import type { CellEdge } from '../model/cell.ts';
import type { Expression, JobSpec, Run } from '../model/job.ts';
import { gangNodesMax } from '../model/limits.ts';
import { mismatchOf } from '../scheduler/matching.ts';
import type { Scalar } from './evaluate-expression.ts';
import {
  type Algorithm,
  type ChoiceMade,
  type Selection,
  selectCluster,
} from './select-cluster.ts';

/**
 * Where a jobspec goes: which clusters have what it asks for, which of them gets it, and on the
 * hosts of a pool which host does what belongs together.
 */
export type PlaceCandidate = {
  readonly name: string;
  readonly state: ReadonlyMap<string, Scalar>;
  /** What may be had at this moment, by the names that jobs ask with. */
  readonly free: ReadonlyMap<string, number>;
} & (
  | {
      readonly kind: 'cluster';
      readonly graph: ClusterGraph;
      readonly executor: 'process' | 'slurm' | 'flux';
      /** It can keep others away from a node. */
      readonly givesAlone: boolean;
      /** Set while it takes nothing: `edge-cordoned` or `disconnected`. */
      readonly away: { readonly reason: string; readonly detail: string } | null;
    }
  | { readonly kind: 'hosts'; readonly hosts: readonly FreeHost[] }
);

export type FreeHost = Host & {
  readonly free: ReadonlyMap<string, number>;
  /** As the scheduler matches it. */
  readonly edge: Pick<CellEdge, 'name' | 'config' | 'facts'>;
};

export type ClusterAnswer =
  | {
      readonly name: string;
      readonly matches: true;
      readonly slots: number;
      readonly free: boolean;
    }
  | ({ readonly name: string; readonly matches: false } & Mismatch);

export type MatchRules = {
  readonly together: 'host' | 'pool';
  /** When the second of `a|b` is taken. */
  readonly fallback: 'missing' | 'busy';
};

export type Matched = {
  readonly answers: readonly ClusterAnswer[];
  /** By name, those that match. */
  readonly placings: ReadonlyMap<string, Placing>;
};

/** All candidates, by name. */
export function matchAll(
  plan: JobspecPlan,
  candidates: readonly PlaceCandidate[],
  rules: MatchRules,
): Matched {
  const answers: ClusterAnswer[] = [];
  const placings = new Map<string, Placing>();
  for (const candidate of [...candidates].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = candidate;
    const found = matchOne(plan, candidate, rules);
    if ('reason' in found) answers.push({ name, matches: false, ...found });
    else {
      placings.set(name, found.placing);
      const free = freeTimes(plan, candidate, found.placing) >= 1;
      answers.push({ name, matches: true, slots: found.slots, free });
    }
  }
  return { answers, placings };
}

type Found = { readonly slots: number; readonly placing: Placing };

function matchOne(
  plan: JobspecPlan,
  candidate: PlaceCandidate,
  { together, fallback }: MatchRules,
): Found | Mismatch {
  const isHosts = candidate.kind === 'hosts';
  const graph = isHosts
    ? { digest: clusterOfHosts(candidate.hosts), facts: null }
    : candidate.graph;
  if (!isHosts && candidate.away !== null) return { ...candidate.away, at: '' };
  const isFree = (term: Term) => fallback === 'missing' || isFreeIn(candidate, term);
  const result = satisfies(graph, plan, isFree);
  if (!result.matches) return result;
  const { slots, chosen } = result;
  if (!isHosts) {
    const crowded = candidate.givesAlone ? null : crowdedOn('a node', plan, chosen);
    if (crowded !== null) return crowded;
    const to: Destination = {
      kind: 'cluster',
      edge: candidate.name,
      executor: candidate.executor,
    };
    return { slots, placing: { to, chosen } };
  }
  const unfit = unfitForHosts(plan, graph, chosen);
  if (unfit !== null) return unfit;
  const open: Placing = { to: { kind: 'hosts', hostOf: new Map() }, chosen };
  if (together === 'pool') return { slots, placing: open };
  const hostOf = hostsFor(plan, candidate.hosts, open);
  if ('reason' in hostOf) return hostOf;
  return { slots, placing: { to: { kind: 'hosts', hostOf }, chosen } };
}

/** A node that has to be free of others, where nothing keeps them away. */
function crowdedOn(
  what: 'a host' | 'a node',
  plan: JobspecPlan,
  chosen: ReadonlyMap<string, string>,
): Mismatch | null {
  for (const choice of choicesOf(plan)) {
    if (!runSizeOf(termOfChoice(plan, choice, chosen)).exclusive) continue;
    const detail = `${what} cannot be had alone; a cluster of Slurm or Flux can give a node`;
    return { reason: 'no-exclusive-node', at: choice.pointer, detail };
  }
  return null;
}

/** What hosts cannot give each other: one allocation over several, or a node to itself. */
function unfitForHosts(
  plan: JobspecPlan,
  graph: ClusterGraph,
  chosen: ReadonlyMap<string, string>,
): Mismatch | null {
  const crowded = crowdedOn('a host', plan, chosen);
  if (crowded !== null) return crowded;
  for (const choice of choicesOf(plan)) {
    const term = termOfChoice(plan, choice, chosen);
    const size = runSizeOf(term);
    const at = choice.pointer;
    const isGroup = plan.units.some((it) => it.kind === 'group' && it.choice === choice);
    if (isGroup && size.nodes * size.slots > 1) {
      const detail = 'hosts share no allocation; a group over several nodes needs a cluster';
      return { reason: 'no-shared-allocation', at, detail };
    }
    if (size.nodes > gangNodesMax) {
      const detail = `${size.nodes} hosts at once are more than ${gangNodesMax}`;
      return { reason: 'not-enough-slots', at, detail };
    }
    const found = match(graph, runTerm(term, size));
    if ('reason' in found) return { ...found, at };
  }
  return null;
}

/** What one run needs, all of it on nodes: a job runs on hosts, whatever is asked beside them. */
function runTerm(term: Term, { nodes, each }: ReturnType<typeof runSizeOf>): Term {
  const plain = { isSlot: false, exclusive: false, label: null, pointer: term.pointer };
  const within = [...each].map(([type, needed]): Term => {
    const unit = type === 'memory' ? 'MB' : 'count';
    return { ...plain, type, needed, unit, with: [], requires: [] };
  });
  return { ...plain, type: 'node', needed: nodes, unit: 'count', with: within, requires: [] };
}

function termOfChoice(
  plan: JobspecPlan,
  choice: { readonly names: readonly string[]; readonly pointer: string },
  chosen: ReadonlyMap<string, string>,
): Term {
  return plan.terms.get(chosen.get(choice.pointer) ?? choice.names[0]!)!;
}

/** Hosts share no files: what waits for each other runs on one, the one with most left. */
function hostsFor(
  plan: JobspecPlan,
  hosts: readonly FreeHost[],
  placing: Placing,
): ReadonlyMap<string, string> | Mismatch {
  const hostOf = new Map<string, string>();
  const bodies = new Map(jobsOf(plan, placing).map(({ name, body }) => [name, body]));
  for (const tied of tiedUnits(plan.units)) {
    if (tied.length < 2) continue;
    const needs = tied.map((unit) => needOf(bodies.get(unit.name)!));
    if (needs.some(({ nodes }) => nodes > 1)) continue;
    let best: FreeHost | null = null;
    let most = -1;
    for (const host of hosts) {
      if (!needs.every((need) => suits(host, need))) continue;
      const left = Math.min(...needs.map((need) => timesIn(host.free, need.resources)));
      if (left > most) [best, most] = [host, left];
    }
    if (best === null) {
      const names = tied.map(({ name }) => `"${name}"`).join(', ');
      const detail = `no single host has what ${names} need; "together": "pool" lets them part`;
      return { reason: 'no-host-for-all', at: tied[0]!.pointer, detail };
    }
    for (const unit of tied) hostOf.set(unit.name, best.name);
  }
  return hostOf;
}

type Need = {
  readonly nodes: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly spec: Pick<JobSpec, 'requires' | 'run'>;
};

function needOf(body: Readonly<Record<string, unknown>>): Need {
  const { nodes } = body.placement as { nodes: number | null };
  const { expressions } = body.requires as { expressions: readonly Expression[] };
  return {
    nodes: nodes ?? 1,
    resources: body.resources as Need['resources'],
    spec: { requires: { labels: {}, edges: [], expressions }, run: body.run as Run },
  };
}

function suits({ capacity, edge }: FreeHost, { resources, spec }: Need): boolean {
  return timesIn(capacity, resources) >= 1 && mismatchOf(edge, spec) === null;
}

function timesIn(
  amounts: ReadonlyMap<string, number>,
  needs: Readonly<Record<string, number>>,
): number {
  let times = Math.max(1, amounts.get('power') ?? 0);
  for (const [name, needed] of Object.entries(needs)) {
    if (needed > 0) times = Math.min(times, (amounts.get(name) ?? 0) / needed);
  }
  return times;
}

/** Units that wait for each other, over however many others. */
function tiedUnits(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const groupOf = new Map(units.map((unit) => [unit.name, new Set([unit])]));
  for (const unit of units) {
    for (const name of unit.after) {
      const [own, other] = [groupOf.get(unit.name)!, groupOf.get(name)!];
      if (own === other) continue;
      for (const it of other) {
        own.add(it);
        groupOf.set(it.name, own);
      }
    }
  }
  return [...new Set(groupOf.values())].map((it) => [...it]);
}

/** Whether one run could begin at once. */
function isFreeIn({ kind, free }: PlaceCandidate, term: Term): boolean {
  return timesIn(free, amountsOf(runSizeOf(term), kind)) >= 1;
}

/** How often the largest of its jobs fits into what is free. */
function freeTimes(plan: JobspecPlan, candidate: PlaceCandidate, placing: Placing): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { body } of jobsOf(plan, placing)) {
    const resources = body.resources as Record<string, number>;
    least = Math.min(least, timesIn(candidate.free, resources));
  }
  return least;
}

export function select(
  plan: JobspecPlan,
  candidates: readonly PlaceCandidate[],
  { placings }: Matched,
  algorithm: Algorithm,
  seed: string,
): Selection {
  const matching = candidates.flatMap((it) => {
    const placing = placings.get(it.name);
    if (placing === undefined) return [];
    return [{ name: it.name, state: it.state, freeTimes: freeTimes(plan, it, placing) }];
  });
  const selection = selectCluster(matching, algorithm, plan.parameters, seed);
  const placing = selection.cluster === null ? undefined : placings.get(selection.cluster);
  const choices = placing === undefined ? [] : choicesMade(plan, placing);
  return choices.length === 0 ? selection : { ...selection, choices };
}

/** Which of each `a|b` it is there. */
function choicesMade(plan: JobspecPlan, { chosen }: Placing): readonly ChoiceMade[] {
  const asked = plan.units.flatMap(requirementsOf);
  return [...choicesOf(plan), ...asked].flatMap(({ names, pointer }) => {
    const name = chosen.get(pointer);
    return names.length > 1 && name !== undefined ? [{ at: pointer, chosen: name }] : [];
  });
}

function requirementsOf(unit: Unit): readonly NonNullable<Unit['requires']>[] {
  const own = unit.requires === null ? [] : [unit.requires];
  return unit.kind === 'task' ? own : [...own, ...unit.members.flatMap(requirementsOf)];
}
