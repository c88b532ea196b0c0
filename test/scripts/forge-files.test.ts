import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { lockedPackages } from '../../scripts/supply-chain/lock-file.mjs';
import { root } from '../source-files.ts';

/** What a forge and editors read of this repository, and nobody runs here. */
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

type Step = { readonly uses?: string; readonly run?: string; readonly with?: object };
type Workflow = {
  readonly permissions: unknown;
  readonly concurrency: { readonly group: string };
  readonly jobs: Readonly<Record<string, { 'timeout-minutes': number; steps: readonly Step[] }>>;
};

test('the workflow runs what a clone can run, with no more rights than to read', () => {
  const workflow = parse(read('.github', 'workflows', 'ci.yml')) as Workflow;
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(workflow.concurrency.group).not.toBe('');
  const jobs = Object.values(workflow.jobs);
  expect(jobs.every((job) => job['timeout-minutes'] > 0)).toBe(true);
  const steps = jobs.flatMap((job) => job.steps);
  expect(steps.at(-1)).toEqual({ run: '.ci/run' });
  for (const { uses } of steps)
    if (uses !== undefined) expect(uses).toMatch(/@(v\d+|[\da-f]{40})$/);
  expect(steps).toContainEqual(
    expect.objectContaining({ with: { 'node-version-file': '.node-version' } }),
  );
});

test('there is one version of Node', () => {
  const { devDependencies } = JSON.parse(read('package.json'));
  expect(read('.node-version').trim()).toBe(devDependencies.node);
});

type Form = {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
};
type Field = { readonly type: string; readonly id?: string; readonly attributes: object };

test('the forms for issues are forms', () => {
  const folder = join('.github', 'ISSUE_TEMPLATE');
  const files = readdirSync(join(root, folder)).filter((file) => file !== 'config.yml');
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const form = parse(read(folder, file)) as Form;
    expect([form.name, form.description].every((text) => text.length > 0)).toBe(true);
    const ids = form.body.filter(({ type }) => type !== 'markdown').map(({ id }) => id);
    expect(ids.every((id) => /^[a-z]+$/.test(id ?? ''))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    for (const field of form.body) {
      expect(field.type).toMatch(/^(markdown|textarea|input|dropdown)$/);
      expect(field.attributes).toHaveProperty(field.type === 'markdown' ? 'value' : 'label');
    }
  }
});

test('the pages about the project name files that are there', () => {
  const pages = ['SECURITY.md', 'CODE_OF_CONDUCT.md', 'docs/compatibility.md', 'README.md'];
  for (const page of pages) {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map((match) => match[1]!);
    const missing = links.filter((link) => !existsSync(join(root, page, '..', link)));
    expect([page, missing]).toEqual([page, []]);
  }
});

type Updates = {
  readonly version: number;
  readonly updates: readonly {
    readonly 'package-ecosystem': string;
    readonly directory: string;
    readonly schedule: { readonly interval: string };
    readonly groups?: Readonly<Record<string, { readonly patterns?: readonly string[] }>>;
  }[];
};

test('updates are asked for wherever something of others is named', () => {
  const { version, updates } = parse(read('.github', 'dependabot.yml')) as Updates;
  expect(version).toBe(2);
  const kinds = updates.map((one) => `${one['package-ecosystem']} ${one.directory}`);
  expect(kinds).toEqual(['npm /', 'github-actions /']);
  for (const { schedule } of updates) expect(schedule.interval).toMatch(/^(weekly|monthly)$/);
  const locked = new Set(lockedPackages().map(({ name }) => name));
  const patterns = updates.flatMap(({ groups = {} }) => Object.values(groups));
  for (const name of patterns.flatMap((group) => group.patterns ?? [])) {
    const known = [...locked].some((one) => one === name || one.startsWith(name.replace('*', '')));
    expect(known, name).toBe(true);
  }
});
