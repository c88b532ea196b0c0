import { gangNodesMax } from '../../model/limits.ts';
import { isName } from '../../model/names.ts';
import { groupScript, type Needs } from './group-script.ts';
import type { Requirement } from './jobspec-schema.ts';
import type { JobspecPlan, PlannedGroup, Unit } from './plan.ts';
import { nothingStaged, type Staged, stagedInputs, withStage } from './stages.ts';
import { type RunSize, runSizeOf, type Term } from './terms.ts';

/**
 * The jobs that a jobspec becomes at the place that was chosen for it: one for each task, and one
 * for each group, whose script runs its tasks within what the group holds.
 */
export type JobspecJob = {
  /** Of the task or of the group. */
  readonly name: string;
  readonly after: readonly string[];
  /** A job's body, still to be checked like any other. */
  readonly body: Readonly<Record<string, unknown>>;
};

/** Where it goes. `hosts`: each unit to the edge that is named for it, or to any. */
export type Destination =
  | { readonly kind: 'cluster'; readonly edge: string; readonly executor: ClusterExecutor }
  | { readonly kind: 'hosts'; readonly hostOf: ReadonlyMap<string, string> };

export type ClusterExecutor = 'process' | 'slurm' | 'flux';

export type Placing = {
  readonly to: Destination;
  /** Which of `a|b` it is, by the place of the choice. */
  readonly chosen: ReadonlyMap<string, string>;
};

export function jobsOf(
  plan: JobspecPlan,
  placing: Placing,
  staged: Staged = nothingStaged,
): readonly JobspecJob[] {
  return plan.units.map((unit) => ({
    name: unit.name,
    after: unit.after,
    body: bodyOf(plan, unit, placing, staged),
  }));
}

function bodyOf(
  plan: JobspecPlan,
  unit: Unit,
  placing: Placing,
  staged: Staged,
): Record<string, unknown> {
  const { to } = placing;
  const size = sizeOf(plan, unit, placing);
  const slots = unit.kind === 'group' ? 1 : size.slots;
  const held = unit.kind === 'group' ? { ...size, nodes: size.nodes * size.slots } : size;
  const replicas = unit.kind === 'group' ? 1 : unit.replicas;
  const own = unit.kind === 'group' ? groupArgv(plan, unit, placing) : unit.argv;
  const inputs = stagedInputs(unit, staged);
  const argv = inputs.length === 0 ? own : withStage(own);
  // More nodes than hosts give each other only a cluster has: there they are one chunk.
  const isWhole = to.kind === 'cluster' || held.nodes > gangNodesMax;
  const isGang = !isWhole && held.nodes > 1;
  const run = {
    argv,
    env: unit.environment,
    cwd: unit.cwd,
    timeoutSeconds: unit.durationSeconds,
  };
  return {
    name: nameFor(unit.name),
    chunks: replicas * slots * (isGang ? held.nodes : 1),
    resources: amountsOf(held, isWhole ? 'cluster' : 'hosts'),
    run: runOn(to, run, held, unit),
    requires: {
      edges: to.kind === 'cluster' ? [to.edge] : hostFor(to, unit),
      expressions: to.kind === 'hosts' ? expressionsFor(plan, unit, placing) : [],
    },
    placement: { nodes: isGang ? held.nodes : null },
    ...(inputs.length === 0 ? {} : { inputs }),
    keepOutput: isWatched(unit) ? 'all' : 'failed',
    labels: {
      'jobspec/task': unit.name,
      ...(plan.name === null ? {} : { jobspec: plan.name }),
    },
  };
}

/** What somebody wants to follow is kept, also when it ends well; a group prints for all in it. */
function isWatched(unit: Unit): boolean {
  return unit.kind === 'task' ? unit.watch : unit.members.some(isWatched);
}

function hostFor(to: Destination & { readonly kind: 'hosts' }, unit: Unit): string[] {
  const host = to.hostOf.get(unit.name);
  return host === undefined ? [] : [host];
}

function runOn(
  to: Destination,
  run: Readonly<Record<string, unknown>>,
  { nodes, each: per, exclusive }: RunSize,
  unit: Unit,
): Record<string, unknown> {
  if (to.kind === 'hosts' || to.executor === 'process') return { process: run };
  const cores = per.get('core');
  const gpus = per.get('gpu');
  const alone = exclusive ? ['--exclusive'] : [];
  if (to.executor === 'slurm') {
    const cpus = cores === undefined ? [] : [`--cpus-per-task=${cores}`];
    const options = ['--ntasks-per-node=1', ...cpus, ...alone];
    return { slurm: { ...run, options } };
  }
  const options = [
    `--ntasks=${nodes}`,
    ...(cores === undefined ? [] : [`--cores-per-task=${cores}`]),
    ...(gpus === undefined ? [] : [`--gpus-per-task=${gpus}`]),
    ...alone,
  ];
  // An instance of its own on what the group got: its script is the first program there.
  const argv = run.argv as readonly string[];
  return {
    flux: { ...run, argv: unit.kind === 'group' ? ['flux', 'broker', ...argv] : argv, options },
  };
}

function groupArgv(plan: JobspecPlan, group: PlannedGroup, placing: Placing): readonly string[] {
  const { to } = placing;
  const held = (it: PlannedGroup) => allSlots(sizeOf(plan, it, placing));
  const script = groupScript(group, {
    room: (it) => needsOf(held(it), held(it)),
    needs: (member, within) => {
      const isWhole = member.kind === 'group' || member.choice.names === within.choice.names;
      const size = sizeOf(plan, member, placing);
      return needsOf(isWhole ? allSlots(size) : size, held(within));
    },
    launcher: (task) => launcherOf(to, sizeOf(plan, task, placing)),
  });
  return ['sh', '-c', script, group.name];
}

function allSlots(size: RunSize): RunSize {
  return { ...size, slots: 1, nodes: size.nodes * size.slots };
}

/**
 * Counted in what the allocation is counted in. In one of whole nodes whoever has a part of a node
 * has all of it, and whoever asks for a whole node has all that the allocation has of one.
 */
function needsOf(size: RunSize, held: RunSize): Needs {
  if (held.each.size === 0) return new Map([['node', size.nodes]]);
  const per = size.each.size === 0 ? held.each : size.each;
  return new Map([...per].map(([type, count]) => [type, count * size.nodes]));
}

function launcherOf(to: Destination, { nodes, each: per }: RunSize): readonly string[] {
  if (to.kind === 'hosts' || to.executor === 'process') return [];
  const cores = per.get('core') ?? 1;
  if (to.executor === 'slurm') {
    const options = [`--nodes=${nodes}`, `--ntasks=${nodes}`, `--cpus-per-task=${cores}`];
    return ['srun', '--exact', ...options];
  }
  const gpus = per.get('gpu');
  const more = gpus === undefined ? [] : [`--gpus-per-task=${gpus}`];
  return [
    'flux',
    'run',
    `--nodes=${nodes}`,
    `--ntasks=${nodes}`,
    `--cores-per-task=${cores}`,
    ...more,
  ];
}

function termFor(plan: JobspecPlan, unit: Unit, { chosen }: Placing): Term {
  const name = chosen.get(unit.choice.pointer) ?? unit.choice.names[0]!;
  return plan.terms.get(name)!;
}

function sizeOf(plan: JobspecPlan, unit: Unit, placing: Placing): RunSize {
  const term = termFor(plan, unit, placing);
  return runSizeOf(term, unit.kind === 'task' ? unit.slot : null);
}

const amountNames = new Map([
  ['core', 'cores'],
  ['gpu', 'gpus'],
  ['memory', 'memoryMb'],
]);

/** What one chunk asks: of a cluster all of its nodes together, of a host what is on one. */
export function amountsOf(size: RunSize, of: Destination['kind']): Record<string, number> {
  return of === 'cluster' ? total(size) : each(size);
}

function each(size: RunSize): Record<string, number> {
  return Object.fromEntries(
    [...size.each].map(([type, count]) => [amountNames.get(type) ?? type, count]),
  );
}

function total(size: RunSize): Record<string, number> {
  const amounts = [...size.each].map(([type, count]): [string, number] => [
    amountNames.get(type) ?? type,
    count * size.nodes,
  ]);
  return Object.fromEntries([['nodes', size.nodes], ...amounts]);
}

/** Names here are narrower than task names: what does not fit is only a label. */
function nameFor(task: string): string | null {
  const name = task.toLowerCase().replace(/[^a-z0-9-]+/g, '-');
  return isName(name) ? name : null;
}

/** What a host must say of itself; a cluster's vertices were asked when it was chosen. */
function expressionsFor(plan: JobspecPlan, unit: Unit, placing: Placing): readonly unknown[] {
  const { requires } = unit;
  const name = requires === null ? null : (placing.chosen.get(requires.pointer) ?? null);
  const own = [
    ...expressionsIn(termFor(plan, unit, placing)),
    ...(name === null ? [] : (plan.requires.get(name) ?? []).flatMap(expressionsOf)),
  ];
  const inner = unit.kind === 'task' ? [] : unit.members;
  const all = [...own, ...inner.flatMap((it) => expressionsFor(plan, it, placing))];
  return [...new Map(all.map((it) => [JSON.stringify(it), it])).values()];
}

function expressionsIn(term: Term): readonly unknown[] {
  const own = term.requires.flatMap(({ item }) => expressionsOf(item));
  return [...own, ...term.with.flatMap(expressionsIn)];
}

/** Of a software that is named its version is asked; anything else is a fact. */
function expressionsOf(item: Requirement): readonly unknown[] {
  const { name, field, match, value, min, max, attribute } = item;
  const isSoftware = field === 'version' && name !== 'system';
  const key = isSoftware ? `software.${name}` : `facts.${field}`;
  const wanted = attribute === undefined ? (match ?? value) : match;
  const bounds = [
    { key, op: '=', value: wanted },
    { key, op: '>=', value: min },
    { key, op: '<=', value: max },
  ].filter((it) => it.value !== undefined);
  return bounds.length === 0 ? [{ key, op: 'exists' }] : bounds;
}
