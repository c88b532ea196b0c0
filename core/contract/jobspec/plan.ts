import type { Requirement } from './jobspec-schema.ts';
import type { Term } from './terms.ts';

/**
 * A jobspec that was understood: its units in an order in which each comes after those it waits
 * for. A unit becomes one job: a task, or a group with all that runs in its allocation.
 */
export type JobspecPlan = {
  readonly name: string | null;
  readonly units: readonly Unit[];
  readonly terms: ReadonlyMap<string, Term>;
  /** Top-level requirements by name, which tasks and groups ask for. */
  readonly requires: ReadonlyMap<string, readonly Requirement[]>;
  /** Only these count when it is asked which clusters have what is needed; `null`: all used. */
  readonly scheduled: ReadonlySet<string> | null;
  readonly parameters: ReadonlyMap<string, string | number | boolean>;
};

export type Unit = PlannedTask | PlannedGroup;

type Member = {
  readonly name: string;
  readonly pointer: string;
  /** Names beside it, of tasks and of groups. */
  readonly after: readonly string[];
  /** Of the group around where a member says nothing. */
  readonly choice: Choice;
  /** Names of top-level requirements, of which the first that holds is enough. */
  readonly requires: { readonly names: readonly string[]; readonly pointer: string } | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  readonly durationSeconds: number | null;
};

export type PlannedTask = Member & {
  readonly kind: 'task';
  readonly argv: readonly string[];
  readonly replicas: number;
  readonly slot: string | null;
  /** Takes no place of its own in the allocation of its group. */
  readonly local: boolean;
  readonly watch: boolean;
  /** Files of the submitter that have to be in place before it starts. */
  readonly stages: readonly string[];
};

export type PlannedGroup = Member & {
  readonly kind: 'group';
  readonly members: readonly Unit[];
  readonly stopOnFailure: boolean;
};

/** `a|b`: the first that a cluster has. Within a group it is a part of what the group got. */
export type Choice = {
  readonly names: readonly string[];
  readonly pointer: string;
  readonly within: Choice | null;
};

/** All choices of a plan, those of groups before those within them. */
export function choicesOf(plan: Pick<JobspecPlan, 'units'>): readonly Choice[] {
  const found = new Set<Choice>();
  const visit = (unit: Unit) => {
    found.add(unit.choice);
    if (unit.kind === 'group') unit.members.forEach(visit);
  };
  plan.units.forEach(visit);
  return [...found];
}

/** Every task with the names of the groups that it is in, from the outside in. */
export function tasksOf(
  units: readonly Unit[],
  groups: readonly string[] = [],
): readonly { readonly task: PlannedTask; readonly groups: readonly string[] }[] {
  return units.flatMap((unit) =>
    unit.kind === 'task' ? [{ task: unit, groups }] : tasksOf(unit.members, [...groups, unit.name]),
  );
}
