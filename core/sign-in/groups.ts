import type { Scope } from '../contract/scopes.ts';
import { isScope } from '../model/caller.ts';

/**
 * What members of groups may do, as the deployment says it in one line:
 * `operators=jobs:read,jobs:write;admins=fleet:admin`. What makes no sense gives nobody anything.
 */
export type GroupScopes = ReadonlyMap<string, readonly Scope[]>;

export function parseGroupScopes(text: string): GroupScopes {
  const found = new Map<string, readonly Scope[]>();
  for (const entry of text.split(';')) {
    const at = entry.lastIndexOf('=');
    const group = entry.slice(0, Math.max(at, 0)).trim();
    const named = entry.slice(at + 1).split(',');
    const scopes = named.map((scope) => scope.trim()).filter(isScope);
    if (group === '' || scopes.length !== named.length) continue;
    found.set(group, [...new Set([...(found.get(group) ?? []), ...scopes])]);
  }
  return found;
}

/** One name, or a list of them; anything else is no group. */
export function scopesOfGroups(claim: unknown, groups: GroupScopes): readonly Scope[] {
  const names = Array.isArray(claim) ? claim : [claim];
  const scopes = names.flatMap((name) => (typeof name === 'string' ? groups.get(name) : []) ?? []);
  return [...new Set(scopes)];
}
