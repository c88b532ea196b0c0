/**
 * What of an event a target gets: all of it, a constant, a part, or a text with parts put in
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html).
 */
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import type { Reader } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';

/** `rule`: its name and ARN, which a template may put in. */
export type TargetInput = (event: JsonObject, rule: RuleNames) => string;

export type RuleNames = { readonly name: string; readonly arn: string };

export function targetInputOf(target: Reader): TargetInput {
  const given = ['Input', 'InputPath', 'InputTransformer'].filter((key) => target.has(key));
  if (given.length > 1) {
    throw new StartFailure(`${target.path}: one of ${given.join(' and ')}, and not both.`);
  }
  const input = target.optionalText('Input');
  if (input !== undefined) return () => input;
  const path = target.optionalText('InputPath');
  if (path !== undefined) {
    const read = pathOf(path, `${target.path}.InputPath`);
    return (event) => JSON.stringify(read(event) ?? null);
  }
  const transformer = target.optionalObject('InputTransformer');
  return transformer === undefined ? (event) => JSON.stringify(event) : transformed(transformer);
}

function transformed(reader: Reader): TargetInput {
  reader.only(['InputPathsMap', 'InputTemplate']);
  const template = reader.text('InputTemplate');
  const paths = reader.optionalObject('InputPathsMap')?.raw ?? {};
  const reads = new Map(
    Object.entries(paths).map(([name, path]) => {
      return [name, pathOf(String(path), `${reader.path}.InputPathsMap.${name}`)] as const;
    }),
  );
  return (event, rule) => {
    const own: Readonly<Record<string, Json>> = {
      'aws.events.rule-arn': rule.arn,
      'aws.events.rule-name': rule.name,
      'aws.events.event.ingestion-time': String(event.time),
      'aws.events.event': event,
      'aws.events.event.json': event,
    };
    let isInText = false;
    return template.replace(/\\.|"|<([\w.-]+)>/g, (found, name?: string) => {
      if (found === '"') isInText = !isInText;
      if (name === undefined) return found;
      const read = reads.get(name);
      const value = read === undefined && Object.hasOwn(own, name) ? own[name] : read?.(event);
      if (value === undefined) return read === undefined ? found : '';
      // Within quotes a text is what it says; elsewhere every value is JSON.
      const text = JSON.stringify(value);
      if (!isInText) return text;
      return typeof value === 'string' ? text.slice(1, -1) : text.replaceAll('"', '\\"');
    });
  };
}

/** `$.detail.list[0]['odd name']`: no wildcards, as EventBridge has none. */
function pathOf(path: string, at: string): (event: JsonObject) => Json | undefined {
  const parts = path.match(/^\$((\.[\w-]+)|(\[(\d+|'[^']+')\]))*$/);
  if (parts === null) throw new StartFailure(`${at}: ${path} is no path of an event.`);
  const keys = [...path.matchAll(/\.([\w-]+)|\[(\d+)\]|\['([^']+)'\]/g)].map(
    ([, name, index, quoted]) => (index === undefined ? (name ?? quoted ?? '') : Number(index)),
  );
  return (event) =>
    keys.reduce<Json | undefined>((value, key) => {
      if (typeof value !== 'object' || value === null) return undefined;
      if (typeof key === 'number') return Array.isArray(value) ? value[key] : undefined;
      return !Array.isArray(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }, event);
}
