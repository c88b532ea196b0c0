/**
 * The order in which CloudFormation would create the resources: each as soon as what it refers to
 * is there. What only stands earlier in the template is not waited for.
 */
import { StartFailure } from '../failure.ts';
import type { Json, Template } from './assembly.ts';

export function creationOrder(template: Template): string[] {
  const waves = new Map<string, number>();
  const open = new Set<string>();
  const visit = (id: string, from: string): number => {
    const known = waves.get(id);
    if (known !== undefined) return known;
    if (open.has(id)) {
      throw new StartFailure(`Resources.${from} and Resources.${id} depend on each other.`);
    }
    open.add(id);
    const before = directly(template, id).map((other) => visit(other, id));
    const wave = Math.max(-1, ...before) + 1;
    waves.set(id, wave);
    return wave;
  };
  const ids = Object.keys(template.resources);
  for (const id of ids) visit(id, id);
  return ids.toSorted((a, b) => (waves.get(a) ?? 0) - (waves.get(b) ?? 0));
}

/** All resources that are there before this one is created. */
export function dependenciesOf(template: Template, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [id];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const other of directly(template, next)) {
      if (found.has(other)) continue;
      found.add(other);
      waiting.push(other);
    }
  }
  return found;
}

function directly(template: Template, id: string): string[] {
  const resource = template.resources[id];
  if (resource === undefined) return [];
  const names = new Set([...resource.DependsOn, ...referencesOf(resource.Properties)]);
  return [...names].filter((name) => template.resources[name] !== undefined);
}

/** Every name that a value refers to with Ref, GetAtt or Sub (parameters included). */
export function referencesOf(value: Json): Set<string> {
  const names = new Set<string>();
  collect(value, names);
  return names;
}

function collect(value: Json, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, names);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'Ref') names.add(String(item));
    else if (key === 'Fn::GetAtt') {
      names.add(String(Array.isArray(item) ? item[0] : String(item).split('.')[0]));
    } else if (key === 'Fn::Sub') {
      const text = String(Array.isArray(item) ? item[0] : item);
      for (const match of text.matchAll(/\$\{([^!}.]+)[^}]*\}/g))
        names.add((match[1] ?? '').trim());
      collect(item, names);
    } else collect(item, names);
  }
}
