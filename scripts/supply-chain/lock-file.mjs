/**
 * The packages of `package-lock.json`, as everything about the supply chain reads them: without the
 * network, and without the packages.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.mjs';

/**
 * @typedef {object} LockedPackage
 * @property {string} path Where it is installed: `node_modules/zod`.
 * @property {string} name
 * @property {string} version
 * @property {string | null} licence As SPDX writes it.
 * @property {boolean} isTool Needed to build and to test, and by nothing that is shipped.
 */

/** @typedef {{ dev?: boolean, devOptional?: boolean, link?: boolean }} Marks */
/** @typedef {Marks & { version?: string, license?: string }} Entry */

export function lockedPackages(path = join(root, 'package-lock.json')) {
  /** @type {{ packages: Record<string, Entry> }} */
  const { packages } = JSON.parse(readFileSync(path, 'utf8'));
  return Object.entries(packages).flatMap(([at, entry]) => {
    const name = at.split('node_modules/').at(-1) ?? '';
    if (!at.includes('node_modules/') || entry.link === true) return [];
    return [
      /** @type {LockedPackage} */ ({
        path: at,
        name,
        version: entry.version ?? '',
        licence: entry.license ?? null,
        isTool: entry.dev === true || entry.devOptional === true,
      }),
    ];
  });
}
