import type { Jobspec } from './jobspec-schema.ts';
import type { FieldError } from './validation.ts';

/**
 * The groups of a jobspec, taken apart into tasks. A group is a batch: its tasks run side by side
 * where nothing orders them, those without resources of their own take the group's, and whoever
 * waits for the group waits for all of them. A task that names a group runs it in its place; groups
 * that nobody names run by themselves.
 *
 * Each task finds edges of its own: a group is an order and a name, not one allocation.
 */
type Task = Jobspec['tasks'][number];
type Command = NonNullable<Task['command']>;

export type FlatTask = Omit<Task, 'command' | 'resources' | 'group' | 'depends_on'> & {
  /** Its group's name and its own, so that tasks of two groups may have one name. */
  readonly name: string;
  readonly pointer: string;
  readonly command: Command;
  readonly resources: string;
  /** Where the resources are named: at the task or at its group. */
  readonly resourcesAt: string;
  readonly after: readonly string[];
};

type Node = {
  readonly name: string;
  readonly pointer: string;
  readonly waitsFor: readonly { readonly name: string; readonly pointer: string }[];
  /** A task of its own, or those of a group. */
  readonly task: Omit<FlatTask, 'after'> | null;
  readonly inner: readonly Node[];
};

export function flatTasks(spec: Jobspec): { tasks: FlatTask[]; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const groups = namedGroups(spec, errors);
  const roots = rootsOf(spec, groups, errors);
  const tasks: FlatTask[] = [];
  if (errors.length === 0) order(roots, [], tasks, errors);
  // Tasks of two places may still come to one name: `a/b` beside task `b` of group `a`.
  const seen = new Set<string>();
  for (const { name, pointer } of errors.length > 0 ? [] : tasks) {
    if (seen.has(name)) errors.push(twice(name, pointer));
    seen.add(name);
  }
  return { tasks, errors };
}

type Group = NonNullable<Jobspec['groups']>[number];
type Named = { readonly group: Group; readonly name: string; readonly pointer: string };

function namedGroups(spec: Jobspec, errors: FieldError[]): Map<string, Named> {
  const groups = new Map<string, Named>();
  for (const [at, group] of (spec.groups ?? []).entries()) {
    const named = { group, name: group.name ?? `batch-${at}`, pointer: `/groups/${at}` };
    if (groups.has(named.name)) {
      const message = `Two groups are named "${named.name}".`;
      errors.push({ pointer: `${named.pointer}/name`, message });
    }
    groups.set(named.name, named);
  }
  return groups;
}

function rootsOf(spec: Jobspec, groups: Map<string, Named>, errors: FieldError[]): Node[] {
  const lists = [spec.tasks, ...[...groups.values()].map(({ group }) => group.tasks)];
  const inside = new Set(lists.flat().map((task) => task.group));
  const taken = new Set<string>();
  const build = (tasks: readonly Task[], pointer: string, within: Named | null): Node[] =>
    tasks.map((task, at) => nodeOf(task, at, `${pointer}/tasks/${at}`, within));
  const nodeOf = (task: Task, at: number, pointer: string, within: Named | null): Node => {
    const waitsFor = namesIn(task.depends_on, pointer);
    if (task.group === undefined) {
      const name = task.name ?? `task-${at}`;
      const own = taskOf(task, at, pointer, within, errors);
      return { name, pointer, waitsFor, task: own, inner: [] };
    }
    const named = groups.get(task.group);
    const name = task.name ?? task.group;
    const wrong = wrongWith(task, named, taken);
    if (wrong !== null) errors.push({ pointer: `${pointer}/group`, message: wrong });
    if (wrong !== null || named === undefined) {
      return { name, pointer, waitsFor, task: null, inner: [] };
    }
    taken.add(named.name);
    return groupNode({ ...named, name }, waitsFor, () =>
      build(named.group.tasks, named.pointer, named),
    );
  };
  const roots = build(spec.tasks, '', null);
  for (const named of groups.values()) {
    if (inside.has(named.name)) continue;
    roots.push(groupNode(named, [], () => build(named.group.tasks, named.pointer, named)));
  }
  for (const { name, pointer } of groups.values()) {
    if (!inside.has(name) || taken.has(name) || errors.length > 0) continue;
    errors.push({ pointer, message: 'These groups are parts of each other.' });
  }
  return roots;
}

function wrongWith(task: Task, named: Named | undefined, taken: Set<string>): string | null {
  if (named === undefined) return `There is no group "${task.group}".`;
  const { name: _, group: __, depends_on, ...more } = task;
  if (Object.keys(more).length > 0) {
    return 'A task that runs a group has a name and what it waits for, and nothing else.';
  }
  return taken.has(named.name) ? `The group "${named.name}" is used twice.` : null;
}

function groupNode(
  { name, group, pointer }: Named,
  waitsFor: Node['waitsFor'],
  inner: () => Node[],
): Node {
  const own = namesIn(group.depends_on, pointer);
  return { name, pointer, waitsFor: [...waitsFor, ...own], task: null, inner: inner() };
}

function namesIn(names: readonly string[] | undefined, pointer: string): Node['waitsFor'] {
  return (names ?? []).map((name, at) => ({ name, pointer: `${pointer}/depends_on/${at}` }));
}

function taskOf(
  task: Task,
  at: number,
  pointer: string,
  within: Named | null,
  errors: FieldError[],
): Omit<FlatTask, 'after'> | null {
  const { command, group: _, depends_on, ...rest } = task;
  const resources = task.resources ?? within?.group.resources;
  if (command === undefined) {
    const message = 'A task needs a command: a text or a list of texts.';
    errors.push({ pointer: `${pointer}/command`, message });
  }
  if (resources === undefined) {
    const message = 'Neither the task nor its group says which resources it needs.';
    errors.push({ pointer: `${pointer}/resources`, message });
  }
  if (command === undefined || resources === undefined) return null;
  const own = task.name ?? `task-${at}`;
  const name = within === null ? own : `${within.name}/${own}`;
  const resourcesAt = task.resources === undefined ? (within?.pointer ?? pointer) : pointer;
  return { ...rest, name, pointer, command, resources, resourcesAt: `${resourcesAt}/resources` };
}

/** Names are looked for beside the one that waits: tasks, and groups that run there. */
function order(
  nodes: readonly Node[],
  before: readonly string[],
  tasks: FlatTask[],
  errors: FieldError[],
): void {
  const byName = new Map<string, Node>();
  for (const node of nodes) {
    if (byName.has(node.name)) errors.push(twice(node.name, node.pointer));
    byName.set(node.name, node);
  }
  for (const node of nodes) {
    const after = new Set(before);
    for (const { name, pointer } of node.waitsFor) {
      const found = byName.get(name);
      if (found === undefined) {
        errors.push({ pointer, message: `There is no task "${name}" to wait for.` });
      } else for (const task of tasksIn(found)) after.add(task);
    }
    if (node.task !== null) tasks.push({ ...node.task, after: [...after] });
    order(node.inner, [...after], tasks, errors);
  }
}

function tasksIn({ task, inner }: Node): string[] {
  return task === null ? inner.flatMap(tasksIn) : [task.name];
}

function twice(name: string, pointer: string): FieldError {
  return { pointer: `${pointer}/name`, message: `Two tasks are named "${name}".` };
}
