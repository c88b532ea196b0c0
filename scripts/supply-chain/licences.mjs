/**
 * Under which licences code of others may be used here. What is shipped (in functions, in the
 * binaries, in the dashboard, with the local cloud) is under Apache-2.0 with the rest, so its
 * licence must allow that with a notice at most; a tool only has to be free to use. A package that
 * says nothing, or something that is not read here, is refused.
 */

/** @import { LockedPackage } from './lock-file.mjs' */

/** @type {ReadonlyMap<string, string>} */
export const shippable = new Map([
  ['MIT', 'permissive: keep the notice'],
  ['ISC', 'permissive: keep the notice'],
  ['BSD-3-Clause', 'permissive: keep the notice, and do not advertise with the names of authors'],
  ['0BSD', 'permissive: no condition'],
  ['Apache-2.0', 'the licence of this project'],
]);

/** @type {ReadonlyMap<string, string>} */
export const toolsOnly = new Map([
  ['MPL-2.0', 'copyleft by file: free to use, and a changed file would have to be published'],
  ['BSD-2-Clause', 'permissive: keep the notice'],
  ['CC0-1.0', 'given to the public'],
  ['BlueOak-1.0.0', 'permissive; young, so nothing that is shipped depends on it'],
]);

/**
 * What is not right about these packages, a sentence each.
 *
 * @param {readonly LockedPackage[]} packages
 */
export function licenceFaults(packages) {
  /** @type {Set<string>} */
  const used = new Set();
  const refused = packages.flatMap(({ path, version, licence, isTool }) => {
    const allowed = new Set([...shippable.keys(), ...(isTool ? toolsOnly.keys() : [])]);
    const chosen = licence === null ? null : choose(licence, allowed);
    for (const name of chosen ?? []) used.add(name);
    if (chosen !== null) return [];
    const purpose = isTool ? 'a tool' : 'shipped';
    return [`${path} ${version} is ${purpose}, under ${licence ?? 'no licence that it names'}`];
  });
  const idle = [...shippable.keys(), ...toolsOnly.keys()].filter((name) => !used.has(name));
  return [...refused, ...idle.map((name) => `${name} is allowed, and no package is under it`)];
}

/**
 * The licences to use it under: `MIT`, `(MIT OR GPL-3.0-or-later)`, `MIT AND ISC`. `null` when they
 * are not all allowed, or when it is not one of these forms.
 *
 * @param {string} expression
 * @param {ReadonlySet<string>} allowed
 * @returns {string[] | null}
 */
function choose(expression, allowed) {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(text) || (/ OR /.test(text) && / AND /.test(text))) return null;
  const alternative = text.split(' OR ').find((name) => allowed.has(name));
  if (alternative !== undefined) return [alternative];
  const parts = text.split(' AND ');
  return parts.length > 1 && parts.every((name) => allowed.has(name)) ? parts : null;
}
