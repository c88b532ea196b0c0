import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, test } from 'vitest';
import { type Bill, billOf, wholeBill } from '../../../scripts/supply-chain/bill-of-materials.ts';
import { shipments } from '../../../scripts/supply-chain/shipments.ts';

/** As npm writes it, in a folder that is called otherwise, at some moment. */
function written(moment: string): Bill {
  const component = (ref: string, name: string) => ({
    'bom-ref': ref,
    type: 'library',
    name,
    version: ref.slice(ref.lastIndexOf('@') + 1),
    purl: `pkg:npm/${ref.replace(/^@/, '%40')}`,
    properties: [],
    licenses: [{ license: { id: 'MIT' } }],
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:0d8bb586-204f-4e8c-b1b1-${moment}`,
    version: 1,
    metadata: {
      timestamp: '2026-01-01T00:00:00.000Z',
      component: component('own@1.0.0', 'folder'),
    },
    components: [
      component('a@1.0.0', 'a'),
      component('@s/b@2.0.0', 'b-folder'),
      component('tool@3.0.0', 'tool'),
    ],
    dependencies: [
      { ref: 'own@1.0.0', dependsOn: ['a@1.0.0', 'tool@3.0.0'] },
      { ref: 'a@1.0.0', dependsOn: ['@s/b@2.0.0', 'tool@3.0.0'] },
      { ref: '@s/b@2.0.0' },
      { ref: 'tool@3.0.0' },
    ],
  };
}

const thing = { name: 'thing', packages: new Set(['a@1.0.0', '@s/b@2.0.0']) };
const bills = (moment: string) => {
  const whole = wholeBill(written(moment), [thing]);
  return { whole, own: billOf(whole, thing) };
};

const errorsOf = (bill: unknown) =>
  new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(JSON.stringify(bill));

test('both bills are CycloneDX, by the judgement of its own schema', async () => {
  const { whole, own } = bills('30131f5bfe30');
  expect(await errorsOf(whole)).toBeNull();
  expect(await errorsOf(own)).toBeNull();
  expect(await errorsOf({ ...whole, colour: 'red' })).not.toBeNull();
  expect(await errorsOf({ ...own, serialNumber: 'none' })).not.toBeNull();
});

test('neither the moment nor the folder is in them', () => {
  expect(bills('30131f5bfe30')).toEqual(bills('aaaaaaaaaaaa'));
  const { whole, own } = bills('30131f5bfe30');
  expect(whole.metadata.component).toMatchObject({ name: 'own', type: 'application' });
  expect(JSON.stringify(whole)).not.toMatch(/folder|2026/);
  expect(own.serialNumber).not.toBe(whole.serialNumber);
});

test('the whole says what each package is shipped in, and a thing has only its own', () => {
  const { whole, own } = bills('30131f5bfe30');
  const shipped = (bill: Bill) => bill.components.map(({ properties }) => properties?.length);
  expect(shipped(whole)).toEqual([1, 1, 0]);
  expect(own.components.map(({ name }) => name)).toEqual(['a', '@s/b']);
  expect(own.dependencies).toEqual([
    { ref: 'thing@1.0.0', dependsOn: ['@s/b@2.0.0', 'a@1.0.0'] },
    { ref: 'a@1.0.0', dependsOn: ['@s/b@2.0.0'] },
    { ref: '@s/b@2.0.0', dependsOn: [] },
  ]);
});

test('a thing that holds what is not locked has no bill', () => {
  const odd = { name: 'thing', packages: new Set(['odd@9.9.9']) };
  const { whole } = bills('30131f5bfe30');
  expect(() => billOf(whole, odd)).toThrow('thing holds odd@9.9.9, not locked');
});

test('what is shipped holds what its sources use, and no tool', () => {
  const found = new Map(shipments().map(({ name, packages }) => [name, [...packages].join(' ')]));
  expect([...found.keys()].sort()).toEqual([
    'edgewise-agent',
    'edgewise-client',
    'edgewise-dashboard',
    'edgewise-functions',
  ]);
  expect(found.get('edgewise-agent')).toMatch(/\bmqtt@.* bun@/);
  expect(found.get('edgewise-client')).toMatch(/\byaml@/);
  expect(found.get('edgewise-functions')).toMatch(/\bzod@/);
  expect(found.get('edgewise-functions')).not.toMatch(/client-dynamodb/);
  expect(found.get('edgewise-dashboard')).toMatch(/^preact@/);
  for (const packages of found.values()) expect(packages).not.toMatch(/vitest|biome|aws-cdk/);
});
