import { execFileSync, type StdioOptions } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../source-files.ts';
import { codeIn, documentAt, sectionOf } from './documents.ts';

/** A checklist has steps, tests that guard them, and a commit that followed it. */
const page = documentAt('CONTRIBUTING.md');

const checklists = [
  'A route',
  'A row',
  'A phase',
  'A command',
  'A resource type of the local cloud',
  'An executor',
  'A port',
];

const examplePattern = /^\*Example:\* `([0-9a-f]{7,})` (.+)$/m;

function lacksOf(section: string): string[] {
  const steps = [...section.matchAll(/^(\d+)\. /gm)].map((match) => Number(match[1]));
  const guards = codeIn(section.split('*Noticed by*')[1] ?? '');
  return [
    ...(steps.length > 3 && steps.every((step, at) => step === at + 1) ? [] : ['steps']),
    ...(guards.some((path) => path.endsWith('.test.ts')) ? [] : ['a test']),
    ...(examplePattern.test(section) ? [] : ['an example']),
  ];
}

test.each(checklists)('%s: steps, tests and an example', (heading) => {
  expect(lacksOf(sectionOf(page, heading) ?? '')).toEqual([]);
});

/** Of this directory, whatever the environment names. */
function git(...args: string[]): string | null {
  try {
    const env = { PATH: process.env.PATH };
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd: root, env, stdio, encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** An export has no history, and a shallow clone has the end of it. */
const hasHistory = git('rev-parse', '--is-shallow-repository') === 'false';

test.runIf(hasHistory)('every example is a commit of this repository', () => {
  for (const heading of checklists) {
    const [, hash = '', subject] = examplePattern.exec(sectionOf(page, heading) ?? '') ?? [];
    expect(git('log', '-1', '--format=%s', hash), heading).toBe(subject);
  }
});

test('a checklist without a guard is seen', () => {
  expect(lacksOf('1. one\n2. two\n')).toEqual(['steps', 'a test', 'an example']);
  const section = sectionOf(page, 'A port') ?? '';
  expect(lacksOf(section.replaceAll('.test.ts', ''))).toEqual(['a test']);
});
