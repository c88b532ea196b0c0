import { expect, test } from 'vitest';
import { licenceFaults, shippable, toolsOnly } from '../../../scripts/supply-chain/licences.mjs';
import { lockedPackages } from '../../../scripts/supply-chain/lock-file.mjs';

/** One package under each licence that is allowed, so that nothing of the lists is idle. */
const allowed = [
  ...[...shippable.keys()].map((licence) => locked(`s-${licence}`, licence, false)),
  ...[...toolsOnly.keys()].map((licence) => locked(`t-${licence}`, licence, true)),
];

function locked(name: string, licence: string | null, isTool: boolean) {
  return { path: `node_modules/${name}`, name, version: '1.0.0', licence, isTool };
}

const faultsWith = (licence: string | null, isTool: boolean) =>
  licenceFaults([...allowed, locked('planted', licence, isTool)]);

test('the packages of this project are under licences that are allowed', () => {
  const packages = lockedPackages();
  expect(packages.length).toBeGreaterThan(300);
  expect(packages.filter(({ isTool }) => !isTool).length).toBeGreaterThan(50);
  expect(licenceFaults(packages)).toEqual([]);
});

test.each([
  ['GPL-3.0-only', false],
  ['AGPL-3.0-or-later', true],
  ['UNLICENSED', false],
  ['SEE LICENSE IN LICENSE.txt', true],
  [null, false],
  ['MIT AND GPL-3.0-only', false],
  ['(MIT OR ISC) AND GPL-3.0-only', false],
  ['MPL-2.0', false],
])('%s is refused (tool: %s)', (licence, isTool) => {
  const purpose = isTool ? 'a tool' : 'shipped';
  const named = licence ?? 'no licence that it names';
  const said = `node_modules/planted 1.0.0 is ${purpose}, under ${named}`;
  expect(faultsWith(licence, isTool)).toEqual([said]);
});

test.each([
  ['MIT', false],
  ['(MIT OR GPL-3.0-or-later)', false],
  ['MIT AND ISC', false],
  ['MPL-2.0', true],
])('%s is taken (tool: %s)', (licence, isTool) => {
  expect(faultsWith(licence, isTool)).toEqual([]);
});

test('a licence that nobody needs does not stay on the list', () => {
  const others = allowed.filter(({ licence }) => licence !== '0BSD');
  expect(licenceFaults(others)).toEqual(['0BSD is allowed, and no package is under it']);
});
