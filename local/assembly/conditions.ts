/** Evaluates the template's `Conditions`; each one once, whatever refers to it. */
import { StartFailure } from '../failure.ts';
import type { Json, JsonObject } from './assembly.ts';

export type ConditionValue = (value: Json, path: string) => Json;

/** Returns the truth of a named condition; `resolve` resolves the plain values inside. */
export function conditionsOf(
  conditions: JsonObject,
  resolve: ConditionValue,
): (name: string, path: string) => boolean {
  const known = new Map<string, boolean>();
  const named = (name: string, path: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const definition = conditions[name];
    if (definition === undefined) throw new StartFailure(`${path}: no condition "${name}".`);
    const truth = evaluate(definition, `Conditions.${name}`);
    known.set(name, truth);
    return truth;
  };
  const evaluate = (definition: Json, path: string): boolean => {
    const entries = Object.entries((definition ?? {}) as JsonObject);
    const [name, argument] = entries[0] ?? [];
    const list = Array.isArray(argument) ? argument : [];
    switch (name) {
      case 'Condition':
        return named(String(argument), path);
      case 'Fn::Equals':
        return String(resolve(list[0] ?? '', path)) === String(resolve(list[1] ?? '', path));
      case 'Fn::And':
        return list.every((item) => evaluate(item, path));
      case 'Fn::Or':
        return list.some((item) => evaluate(item, path));
      case 'Fn::Not':
        return !evaluate(list[0] ?? null, path);
      default:
        throw new StartFailure(`${path}: the local cloud does not know the function ${name}.`);
    }
  };
  return named;
}
