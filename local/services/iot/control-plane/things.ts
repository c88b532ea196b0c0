/**
 * Things of the registry: made once, updated under a version, listed in pages and by attribute.
 * "Returns successfully" is part of it: making the same thing again and deleting what is not there.
 */
import { randomUUID } from 'node:crypto';
import { invalid, notFound, ServiceError } from '../http/http-answer.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import {
  attributeNamePattern,
  attributeValuePattern,
  thingAttributesMax,
  thingNamePattern,
} from '../limits.ts';
import {
  type ControlCall,
  type ControlDependencies,
  type ControlOperation,
  exists,
  nextToken,
  pageOf,
} from './operation.ts';
import type { Thing } from './registry.ts';

export function thingOperations(
  dependencies: ControlDependencies,
): Record<string, ControlOperation> {
  const { journal } = dependencies;
  return {
    CreateThing: (call) => journal.write(() => createThing(dependencies, call)),
    DescribeThing(call) {
      const thing = existingThing(dependencies, call);
      return {
        ...identification(dependencies, thing),
        defaultClientId: thing.name,
        ...(thing.type === undefined ? {} : { thingTypeName: thing.type }),
        attributes: thing.attributes,
        version: thing.version,
      };
    },
    UpdateThing: (call) => journal.write(() => updateThing(dependencies, call)),
    DeleteThing: (call) => journal.write(() => deleteThing(dependencies, call)),
    ListThings({ query }) {
      const page = pageOf(query);
      const found = matching(dependencies, query, page.after, page.size + 1);
      return {
        things: found.slice(0, page.size).map((thing) => ({
          thingName: thing.name,
          thingArn: thingArn(dependencies, thing.name),
          attributes: thing.attributes,
          version: thing.version,
        })),
        ...(found.length > page.size ? { nextToken: nextToken(found[page.size - 1]!.name) } : {}),
      };
    },
  };
}

/** "Use the attributeName and attributeValue parameters to filter your things." */
function matching(
  { registry }: ControlDependencies,
  query: URLSearchParams,
  after: string,
  count: number,
): Thing[] {
  // There are no thing types here, so no thing has one.
  if (query.has('thingTypeName')) return [];
  const name = query.get('attributeName');
  const wanted = query.get('attributeValue');
  const byPrefix = query.get('usePrefixAttributeValue') === 'true';
  const suits = ({ attributes }: Thing): boolean => {
    if (name === null) return true;
    const value = attributes[name];
    if (typeof value !== 'string' || wanted === null) return value !== undefined;
    return byPrefix ? value.startsWith(wanted) : value === wanted;
  };
  const found: Thing[] = [];
  for (let last = after; found.length < count; ) {
    const batch = registry.listThings(last, thingsReadMax);
    found.push(...batch.filter(suits));
    if (batch.length < thingsReadMax) break;
    last = batch.at(-1)!.name;
  }
  return found.slice(0, count);
}

const thingsReadMax = 250;

function createThing(dependencies: ControlDependencies, { path, body }: ControlCall): JsonObject {
  const { registry, changed } = dependencies;
  const name = path['thing'] ?? '';
  if (!thingNamePattern.test(name)) throw invalid('The thing name is not valid.');
  refuseTypes(body);
  const attributes = attributesOf(body);
  const before = registry.thing(name);
  if (before !== undefined) {
    // "If the thing already exists with the same configuration, the call succeeds."
    const same = JSON.stringify(before.attributes) === JSON.stringify(attributes);
    if (!same) throw exists(`Thing ${name} already exists in account with different attributes`);
    return identification(dependencies, before);
  }
  const thing = { name, id: randomUUID(), attributes, version: 1 };
  registry.putThing(thing);
  changed();
  return identification(dependencies, thing);
}

function updateThing(dependencies: ControlDependencies, call: ControlCall): JsonObject {
  const thing = existingThing(dependencies, call);
  expectVersion(thing, call.body['expectedVersion']);
  refuseTypes(call.body);
  const payload = call.body['attributePayload'];
  const merge = isObject(payload) && payload['merge'] === true;
  const wanted = attributesOf(call.body);
  const attributes = Object.fromEntries(
    // "an attribute with an empty value is removed"
    Object.entries(merge ? { ...thing.attributes, ...wanted } : wanted).filter(
      ([, value]) => value !== '',
    ),
  );
  checkCount(attributes);
  dependencies.registry.putThing({ ...thing, attributes, version: thing.version + 1 });
  dependencies.changed();
  return {};
}

function deleteThing(dependencies: ControlDependencies, { path, query }: ControlCall): JsonObject {
  const { registry, changed } = dependencies;
  const name = path['thing'] ?? '';
  const thing = registry.thing(name);
  // "Returns successfully with no error if … you specify a thing that doesn't exist."
  if (thing === undefined) return {};
  expectVersion(thing, query.get('expectedVersion'));
  if (registry.principalsOf(name).length > 0) {
    throw invalid(`Cannot delete. Thing ${name} is still attached to one or more principals`);
  }
  registry.deleteThing(name);
  changed();
  return {};
}

function existingThing({ registry }: ControlDependencies, { path }: ControlCall): Thing {
  const name = path['thing'] ?? '';
  const thing = registry.thing(name);
  if (thing === undefined) throw notFound(`Thing ${name} cannot be found.`);
  return thing;
}

const thingArn = ({ region, accountId }: ControlDependencies, name: string): string =>
  `arn:aws:iot:${region}:${accountId}:thing/${name}`;

const identification = (dependencies: ControlDependencies, thing: Thing): JsonObject => ({
  thingName: thing.name,
  thingArn: thingArn(dependencies, thing.name),
  thingId: thing.id,
});

function attributesOf(body: JsonObject): Record<string, string> {
  const payload = body['attributePayload'];
  const attributes = isObject(payload) ? payload['attributes'] : undefined;
  if (!isObject(attributes)) return {};
  const entries = Object.entries(attributes).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value] of entries) {
    if (!attributeNamePattern.test(name)) throw invalid(`${name} is no name of an attribute.`);
    if (!attributeValuePattern.test(value)) throw invalid(`The value of ${name} is not valid.`);
  }
  const sorted = Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
  checkCount(sorted);
  return sorted;
}

/** "Things without a thing type can have up to three attributes." */
function checkCount(attributes: Readonly<Record<string, unknown>>): void {
  const count = Object.values(attributes).filter((value) => value !== '').length;
  if (count > thingAttributesMax) {
    throw invalid(`A thing without a thing type has at most ${thingAttributesMax} attributes.`);
  }
}

/** Thing types and billing groups cannot be made here, so none of them exists. */
function refuseTypes(body: JsonObject): void {
  const type = body['thingTypeName'];
  if (typeof type === 'string') throw notFound(`Thing type ${type} cannot be found.`);
  const group = body['billingGroupName'];
  if (typeof group === 'string') throw notFound(`Billing group ${group} cannot be found.`);
}

function expectVersion(thing: Thing, expected: Json | undefined): void {
  if (expected === undefined || expected === null) return;
  if (Number(expected) !== thing.version) {
    throw new ServiceError(
      409,
      'VersionConflictException',
      `The version of ${thing.name} differs.`,
    );
  }
}
