import type { Group, Jobspec, Task } from './jobspec-schema.ts';
import { hint, type Mistakes } from './mistakes.ts';

/**
 * Which task runs which group. A group is known by its name where it is written and to everything
 * inside of there; it runs once, in place of the task that names it, or by itself.
 */
export type NamedGroup = {
  readonly group: Group;
  readonly name: string;
  readonly pointer: string;
  readonly parent: NamedGroup | null;
};

export type GroupNames = {
  /** The group that a task runs; `null` where that makes no sense, which was said. */
  runBy(task: Task): NamedGroup | null;
  /** Those that no task runs, at the top or written inside of a group. */
  byThemselves(parent: NamedGroup | null): readonly NamedGroup[];
};

/** `null`: some group never runs, because it is a part of itself. */
export function groupNames(spec: Jobspec, mistakes: Mistakes): GroupNames | null {
  const scopes = new Map<NamedGroup | null, Map<string, NamedGroup>>();
  const read = (groups: readonly Group[], pointer: string, parent: NamedGroup | null) => {
    const scope = new Map<string, NamedGroup>();
    scopes.set(parent, scope);
    for (const [at, group] of groups.entries()) {
      const name = group.name ?? `batch-${at}`;
      const named = { group, name, pointer: `${pointer}/groups/${at}`, parent };
      if (scope.has(name)) mistakes.add(`${named.pointer}/name`, `Two groups are named "${name}".`);
      else scope.set(name, named);
      read(group.groups ?? [], named.pointer, named);
    }
  };
  read(spec.groups ?? [], '', null);
  const uses = usesOf(spec, scopes, mistakes);
  const used = new Set(uses.values());
  const names: GroupNames = {
    runBy: (task: Task) => uses.get(task) ?? null,
    byThemselves: (parent: NamedGroup | null) =>
      [...scopes.get(parent)!.values()].filter((named) => !used.has(named)),
  };
  return isPartOfItself(names, [...scopes.values()], mistakes) ? null : names;
}

type Scopes = ReadonlyMap<NamedGroup | null, ReadonlyMap<string, NamedGroup>>;

function usesOf(spec: Jobspec, scopes: Scopes, mistakes: Mistakes): Map<Task, NamedGroup> {
  const uses = new Map<Task, NamedGroup>();
  const places = new Map<NamedGroup, string>();
  const look = (tasks: readonly Task[], pointer: string, place: NamedGroup | null) => {
    for (const [at, task] of tasks.entries()) {
      if (task.group === undefined) continue;
      const here = `${pointer}/tasks/${at}/group`;
      const found = groupSeen(task.group, place, scopes);
      const before = found === null ? undefined : places.get(found);
      if (found === null) {
        const known = [...scopes.values()].flatMap((scope) => [...scope.keys()]);
        mistakes.add(here, `There is no group "${task.group}" here.${hint(task.group, known)}`);
      } else if (before !== undefined) {
        mistakes.add(here, `The group "${found.name}" is used twice; before at ${before}.`);
      } else {
        uses.set(task, found);
        places.set(found, here);
      }
    }
  };
  look(spec.tasks, '', null);
  for (const scope of scopes.values()) {
    for (const named of scope.values()) look(named.group.tasks, named.pointer, named);
  }
  return uses;
}

/** Where the task stands, then further out. */
function groupSeen(name: string, place: NamedGroup | null, scopes: Scopes): NamedGroup | null {
  for (let scope = place; scope !== null; scope = scope.parent) {
    const found = scopes.get(scope)?.get(name);
    if (found !== undefined) return found;
  }
  return scopes.get(null)?.get(name) ?? null;
}

/** A group that only runs as a part of itself never runs. */
function isPartOfItself(
  names: GroupNames,
  scopes: readonly ReadonlyMap<string, NamedGroup>[],
  mistakes: Mistakes,
): boolean {
  const all = scopes.flatMap((scope) => [...scope.values()]);
  const runner = new Map<NamedGroup, NamedGroup>();
  for (const named of all) {
    for (const task of named.group.tasks) {
      const run = names.runBy(task);
      if (run !== null) runner.set(run, named);
    }
    for (const inner of names.byThemselves(named)) runner.set(inner, named);
  }
  for (const named of all) {
    const passed = new Set<NamedGroup>();
    for (let it = runner.get(named); it !== undefined; it = runner.get(it)) {
      if (passed.has(it)) break;
      passed.add(it);
      if (it !== named) continue;
      const said = [...passed].map(({ name }) => `"${name}"`).join(' and ');
      mistakes.add(named.pointer, `A group cannot be a part of itself: ${said}.`);
      return true;
    }
  }
  return false;
}
