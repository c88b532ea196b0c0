import { expect, test } from 'vitest';
import { verdictOn } from '../../../scripts/supply-chain/advisories.mjs';

const locked = (name: string, isTool: boolean) => ({
  path: `node_modules/${name}`,
  name,
  version: '1.0.0',
  licence: 'MIT',
  isTool,
});
const packages = [locked('zod', false), locked('vite', true)];

function report(name: string, severity: string, url = 'https://advisories.test/1') {
  const via = ['elsewhere', { title: 'It can be stopped', url, severity }];
  const finding = { name, severity, via, nodes: [`node_modules/${name}`] };
  return JSON.stringify({ auditReportVersion: 2, vulnerabilities: { [name]: finding } });
}

test.each([
  ['zod', 'moderate', 1],
  ['zod', 'low', 0],
  ['vite', 'high', 1],
  ['vite', 'moderate', 0],
  ['vite', 'a word of tomorrow', 1],
])('a weakness of %s that is %s: %d findings', (name, severity, count) => {
  const verdict = verdictOn(report(name, severity), packages);
  expect(verdict).toMatchObject({ kind: 'known', findings: { length: count } });
});

test('a finding says what it is and where to read on', () => {
  expect(verdictOn(report('zod', 'critical'), packages)).toEqual({
    kind: 'known',
    findings: ['zod (shipped): critical: It can be stopped https://advisories.test/1'],
  });
});

test('an advisory that was accepted with a reason is none', () => {
  const accepted = new Map([['https://advisories.test/1', 'only on Windows']]);
  const verdict = verdictOn(report('zod', 'critical'), packages, accepted);
  expect(verdict).toEqual({ kind: 'known', findings: [] });
});

test.each([
  ['{"message":"405 Method Not Allowed - POST https://r.test/bulk","error":{}}', '405 Method Not'],
  ['{"error":{"code":"ENOTFOUND","summary":""}}', 'ENOTFOUND'],
  ['{"error":{"summary":"request to https://r.test failed\\nsecond line"}}', 'failed'],
  ['', 'npm said nothing'],
  ['<html>', 'npm said nothing'],
])('what cannot be known is said, and is no failure: %s', (text, reason) => {
  const verdict = verdictOn(text, packages);
  expect(verdict).toMatchObject({ kind: 'unknown', reason: expect.stringContaining(reason) });
  expect(JSON.stringify(verdict)).not.toContain('second line');
});
