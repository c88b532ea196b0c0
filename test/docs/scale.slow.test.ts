import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compute, fleets, tablesOf, withTables } from '../../bench/scale/page.ts';
import { quotas } from '../../bench/scale/quotas.ts';

/** After a wanted change: npm run bench -- scale --write, and read the difference. */
const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');
const computed = compute();

test('the tables of docs/scale.md are what the script computes', () => {
  expect(withTables(page, tablesOf(computed))).toBe(page);
});

test('a fleet of ten times the edges costs and asks ten times as much', () => {
  const [small, , large] = computed.short;
  expect(fleets).toEqual([10_000, 100_000, 1_000_000]);
  expect(large!.dollarsPerMonth / small!.dollarsPerMonth).toBeCloseTo(100, 6);
  for (const { name } of quotas.quotas) expect(small!.perSecond.get(name)).toBeGreaterThan(0);
});

test('an idle fleet costs a small part of a busy one, and short chunks cost most', () => {
  const [idle, long, short] = [computed.idle, computed.long, computed.short].map(([it]) => it!);
  expect(idle!.dollarsPerMonth).toBeLessThan(long!.dollarsPerMonth / 20);
  expect(long!.dollarsPerMonth).toBeLessThan(short!.dollarsPerMonth);
});

test('a place that the page lacks is a mistake', () => {
  expect(() => withTables('# Scale', tablesOf(computed))).toThrow('no place for cost');
});
