import type { Requirement } from '../contract/jobspec/jobspec-schema.ts';
import { compareVersions, isVersion } from '../model/versions.ts';
import type { GraphDigest, Kind } from './digest.ts';
import { valuesShownMax } from './limits.ts';
import type { Scalar } from './vertex.ts';

/**
 * What a requirement asks of what is attached to a vertex. Of a subsystem that a cluster does not
 * have, its facts are asked: `facts.<field>`, and of a software's version `software.<name>`.
 */
export type Facts = ReadonlyMap<string, Scalar>;

/** Facts of single hosts are attached to them under this name, which no subsystem can have. */
export const factsOfHost = 'facts';

export type Asked = {
  readonly item: Requirement;
  /** Which kinds of a cluster fulfil it. */
  fulfils(kind: Kind): boolean;
  /** All of the cluster does, by its facts. */
  readonly byFacts: boolean;
  /** Nothing of the cluster speaks of it at all. */
  readonly isUnknown: boolean;
};

export function askedOf(item: Requirement, digest: GraphDigest, facts: Facts | null): Asked {
  if (digest.subsystems.includes(item.name)) {
    return {
      item,
      fulfils: (kind) => kind.subsystem === item.name && isFulfilled(item, kind, item.field),
      byFacts: false,
      isUnknown: false,
    };
  }
  const key = factFor(item);
  const ofCluster = { fields: facts ?? new Map(), attributes: new Map() };
  const known = digest.kinds.some((it) => it.subsystem === factsOfHost && it.fields.has(key));
  return {
    item,
    fulfils: (kind) => kind.subsystem === factsOfHost && isFulfilled(item, kind, key),
    byFacts: isFulfilled(item, ofCluster, key),
    isUnknown: !known && !ofCluster.fields.has(key),
  };
}

function factFor({ name, field }: Requirement): string {
  return field === 'version' && name !== 'system' ? `software.${name}` : field;
}

/** At one vertex: its field, its versions and its attribute, all that is asked of them. */
export function isFulfilled(
  item: Requirement,
  { fields, attributes }: Pick<Kind, 'fields' | 'attributes'>,
  field = item.field,
): boolean {
  const { match, value, min, max, attribute } = item;
  const actual = fields.get(field);
  if (actual === undefined) return false;
  const wanted = attribute === undefined ? (match ?? value) : match;
  if (wanted !== undefined && String(actual) !== String(wanted)) return false;
  if (attribute !== undefined) {
    const own = attributes.get(attribute) ?? fields.get(attribute);
    if (own === undefined || String(own) !== String(value)) return false;
  }
  return isWithin(actual, min, (order) => order >= 0) && isWithin(actual, max, (it) => it <= 0);
}

/** Both sides must be versions. */
function isWithin(
  actual: Scalar,
  bound: string | number | undefined,
  holds: (order: number) => boolean,
): boolean {
  if (bound === undefined) return true;
  const [a, b] = [String(actual), String(bound)];
  return isVersion(a) && isVersion(b) && holds(compareVersions(a, b));
}

/** `system cpu.target = amd64`, `spack version 0.5.1 to 0.5.5`. */
export function requirementText(item: Requirement): string {
  const { name, field, match, value, min, max, attribute } = item;
  const wanted = attribute === undefined ? (match ?? value) : match;
  const parts = [`${name} ${field}`];
  if (wanted !== undefined) parts.push(`= ${wanted}`);
  if (attribute !== undefined) parts.push(`with ${attribute} = ${value}`);
  if (min !== undefined && max !== undefined) parts.push(`${min} to ${max}`);
  else if (min !== undefined) parts.push(`at least ${min}`);
  else if (max !== undefined) parts.push(`at most ${max}`);
  return parts.join(' ');
}

/** What there is instead, for a reason: a few of the values that the field has somewhere. */
export function valuesFound(item: Requirement, digest: GraphDigest, facts: Facts | null): string[] {
  const has = digest.subsystems.includes(item.name);
  const [subsystem, field] = has ? [item.name, item.field] : [factsOfHost, factFor(item)];
  const found = new Set<string>();
  for (const kind of digest.kinds) {
    if (kind.subsystem !== subsystem || found.size >= valuesShownMax) continue;
    const value = item.attribute === undefined ? kind.fields.get(field) : attributeOf(kind, item);
    if (value !== undefined) found.add(String(value));
  }
  const ofCluster = has ? undefined : facts?.get(field);
  if (ofCluster !== undefined) found.add(String(ofCluster));
  return [...found].sort();
}

function attributeOf({ fields, attributes }: Kind, { attribute = '' }: Requirement) {
  return attributes.get(attribute) ?? fields.get(attribute);
}
