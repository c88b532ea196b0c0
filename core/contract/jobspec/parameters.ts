import type { Attributes, Group, Jobspec, Resource, Task } from './jobspec-schema.ts';
import type { Mistakes } from './mistakes.ts';

type Scalar = string | number | boolean;

/**
 * What expressions of a selection may name. There is one choice for the whole jobspec, so a
 * parameter has one value: the innermost that is said, and not two at the same level.
 */
export function parametersOf(spec: Jobspec, mistakes: Mistakes): ReadonlyMap<string, Scalar> {
  const levels: Map<string, Scalar>[] = [new Map(), new Map(), new Map(), new Map()];
  const add = (level: number, attributes: Attributes | undefined, pointer: string) => {
    for (const [name, value] of Object.entries(attributes?.parameter ?? {})) {
      const before = levels[level]!.get(name);
      if (before !== undefined && before !== value) {
        const at = `${pointer}/attributes/parameter`;
        mistakes.add(at, `The parameter "${name}" is ${before} elsewhere and ${value} here.`);
      }
      levels[level]!.set(name, value);
    }
  };
  const addResource = (it: Resource, pointer: string) => {
    add(1, it.attributes, pointer);
    for (const [at, inner] of (it.with ?? []).entries())
      addResource(inner, `${pointer}/with/${at}`);
  };
  const addTasks = (tasks: readonly Task[], pointer: string) => {
    for (const [at, task] of tasks.entries()) add(3, task.attributes, `${pointer}/tasks/${at}`);
  };
  const addGroups = (groups: readonly Group[] | undefined, pointer: string) => {
    for (const [at, group] of (groups ?? []).entries()) {
      const here = `${pointer}/groups/${at}`;
      add(2, group.attributes, here);
      addTasks(group.tasks, here);
      addGroups(group.groups, here);
    }
  };
  add(0, spec.attributes, '');
  for (const [name, it] of Object.entries(spec.resources)) addResource(it, `/resources/${name}`);
  addTasks(spec.tasks, '');
  addGroups(spec.groups, '');
  return new Map(levels.flatMap((level) => [...level]));
}
