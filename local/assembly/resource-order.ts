/**
 * The order in which CloudFormation would create the resources: what is referred to comes first.
 */
import { StartFailure } from '../failure.ts';
import type { Json, Template } from './assembly.ts';

export function creationOrder(template: Template): string[] {
  const order: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (id: string, from: string): void => {
    const resource = template.resources[id];
    if (resource === undefined || state.get(id) === 'done') return;
    if (state.get(id) === 'open') {
      throw new StartFailure(`Resources.${from} and Resources.${id} depend on each other.`);
    }
    state.set(id, 'open');
    for (const other of resource.DependsOn) visit(other, id);
    for (const other of referencesOf(resource.Properties)) visit(other, id);
    state.set(id, 'done');
    order.push(id);
  };
  for (const id of Object.keys(template.resources)) visit(id, id);
  return order;
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
