import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { folders, importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/**
 * Which layer may know which. The arrows all point to `core`, which decides and knows nothing of
 * the world; `local` learns everything from the template, so that what works locally is not missing
 * from it.
 */
type Rule = {
  /** Our own folders or files that may be imported besides the layer's own. */
  readonly ours: readonly string[];
  /** Packages (and `node:`) that may be imported; `null` allows all. */
  readonly packages: readonly string[] | null;
  readonly because: string;
};

const wire = [
  'core/contract/',
  'core/files/',
  'core/protocol/',
  'core/model/ranges.ts',
  'core/model/limits.ts',
  'core/model/names.ts',
  'core/model/job.ts',
  'core/model/edge-status.ts',
];

const rules: Readonly<Record<string, Rule>> = {
  core: {
    ours: [],
    packages: ['zod'],
    because: 'core decides; whatever it needs of the world is an argument or a port',
  },
  adapters: {
    ours: ['core/'],
    packages: null,
    because: 'an adapter implements a port of core for one service and knows no use case',
  },
  lambdas: {
    ours: ['core/', 'adapters/'],
    packages: null,
    because: 'a lambda is a thin shell: parse, load, decide in core, store through adapters',
  },
  'edge-agent': {
    ours: ['core/'],
    packages: null,
    because:
      'the agent runs on devices and shares nothing with the cloud but the decisions of core',
  },
  cli: {
    ours: [
      ...wire,
      'core/graph/',
      'core/live/safe-text.ts',
      'core/selection/priorities.ts',
      'edge-agent/',
      'clients/typescript/',
    ],
    packages: null,
    because:
      'the command line is a client of the HTTP API, carries the agent, and reads jobspecs and ' +
      'subsystems of its user without an API',
  },
  clients: {
    ours: [],
    packages: [],
    because: 'a client is a program of its own, for Node and for browsers: it needs nothing else',
  },
  dashboard: {
    ours: [...wire, 'core/live/safe-text.ts'],
    packages: null,
    because: 'the dashboard is a client of the HTTP API: what it needs, the API says',
  },
  lib: {
    ours: [
      'core/model/limits.ts',
      'core/files/limits.ts',
      'core/contract/routes.ts',
      'core/contract/scopes.ts',
      'adapters/dynamodb/schema.ts',
    ],
    packages: null,
    because:
      'the template names bounds, routes, scopes, and how the table’s keys begin, which its ' +
      'stream filters compare; everything else belongs to the code it deploys',
  },
  local: {
    ours: [],
    packages: null,
    because: 'what works locally only by knowing our code is missing from the template',
  },
};

function targetOf(file: SourceFile, name: string): string {
  return posix.normalize(posix.join(posix.dirname(file.path), name));
}

function isOurs(target: string): boolean {
  return folders.some((folder) => target.startsWith(`${folder}/`));
}

function packageOf(name: string): string {
  const parts = name.split('/');
  return name.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

/** Sentences for every import that the rule of the file's folder does not allow. */
function breaches(file: SourceFile, rule: Rule): string[] {
  const out: string[] = [];
  for (const name of importsOf(file)) {
    if (name.startsWith('.')) {
      const target = targetOf(file, name);
      const own = target.startsWith(`${file.folder}/`) || !isOurs(target);
      if (own || rule.ours.some((allowed) => target.startsWith(allowed))) continue;
      out.push(`${file.path} imports ${target}: ${rule.because}`);
    } else if (rule.packages !== null && !rule.packages.includes(packageOf(name))) {
      out.push(`${file.path} imports ${name}: ${rule.because}`);
    }
  }
  return out;
}

const sources = sourceFiles();

for (const [folder, rule] of Object.entries(rules)) {
  test(`${folder} imports only what its layer may know`, () => {
    const files = sources.filter((file) => file.folder === folder);
    expect(files.flatMap((file) => breaches(file, rule))).toEqual([]);
  });
}

/** Below one layer: who may not import what, and why. */
const withinLayers: readonly (readonly [from: string, to: string, because: string])[] = [
  ['core/scheduler/pass/', 'core/scheduler/phases/', 'phases work on the drafts of a pass'],
  ['core/scheduler/leases/', 'core/scheduler/phases/', 'phases decide what leases get'],
  ['core/scheduler/instances/', 'core/scheduler/phases/', 'phases decide when instances move'],
  ['core/scheduler/plan/', 'core/scheduler/phases/', 'what is written does not decide'],
  [
    'lambdas/api/',
    'lambdas/functions/',
    'what belongs together does not know where it is deployed',
  ],
  ['lambdas/workers/', 'lambdas/functions/', 'what belongs together does not know its deployment'],
  ['lambdas/workers/', 'lambdas/api/', 'what runs on its own knows nothing of requests'],
  ['lambdas/api/http/', 'lambdas/api/jobs/', 'how is asked does not depend on what is asked'],
  ['lambdas/api/http/', 'lambdas/api/edges/', 'how is asked does not depend on what is asked'],
  ['lambdas/functions/', 'lambdas/functions/', 'a function is deployed without the others'],
];

test('within a layer the arrows go one way, too', () => {
  const found = sources.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith('.'))
      .flatMap((name) =>
        withinLayers
          .filter(([from, to]) => file.path.startsWith(from) && targetOf(file, name).startsWith(to))
          .map(([, , because]) => `${file.path} imports ${name}: ${because}`),
      ),
  );
  expect(found).toEqual([]);
  expect(sources.filter(({ path }) => path.startsWith('lambdas/functions/')).length).toBe(23);
});

test('nothing outside of test and bench imports tests', () => {
  const isTest = (path: string): boolean => /^(local\/)?test\//.test(path);
  const files = sources.filter(({ path, folder }) => !isTest(path) && folder !== 'bench');
  const bad = files.filter((file) =>
    importsOf(file).some((name) => name.startsWith('.') && isTest(targetOf(file, name))),
  );
  expect(bad.map(({ path }) => path)).toEqual([]);
});

const isComment = (line: string) => /^\s*(\/\/|\*|\/\*)/.test(line);

/** What would make a decision depend on when, where or how often it is made. */
const impure: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bDate\.now\(/, 'take nowMs as an argument'],
  [/\bnew Date\(\s*\)/, 'take nowMs as an argument'],
  [/\bMath\.random\b/, 'take random bytes as an argument'],
  [/\brandomUUID\b/, 'take ids as arguments'],
  [/\bgetRandomValues\b/, 'take random bytes as an argument'],
  [/\bset(Timeout|Interval|Immediate)\b/, 'say when to look again; waiting is the shell’s'],
  [/\bperformance\.now\b/, 'measure outside'],
  [/['"]node:/, 'use a port'],
  [/\bprocess\.(env|exit|cwd|hrtime)\b/, 'take it as an argument'],
  [/\bfetch\(/, 'use a port'],
];

test('core is pure: no clock, no randomness, no timers, no node', () => {
  const found: string[] = [];
  for (const file of sources.filter(({ folder }) => folder === 'core')) {
    file.lines.forEach((line, at) => {
      if (isComment(line)) return;
      for (const [pattern, instead] of impure) {
        if (pattern.test(line)) found.push(`${file.path}:${at + 1}: ${line.trim()} — ${instead}`);
      }
    });
  }
  expect(found).toEqual([]);
});

test('the schema alone spells how keys begin', () => {
  const spelled = /['"`](CELL|JOB|EDGE|POOL|TOKEN|TOKENID|IDEM|AUDIT|STATS|OWED|ASK|WORK|EXEC)#/;
  const files = sources.filter(({ folder }) => ['adapters', 'lambdas', 'lib'].includes(folder));
  const spells = (line: string) => !isComment(line) && spelled.test(line);
  const found = files.filter(({ lines }) => lines.some(spells)).map(({ path }) => path);
  expect(found).toEqual(['adapters/dynamodb/schema.ts']);
});

test('the rules see what they forbid', () => {
  const text = "import { x } from '../adapters/dynamodb/table.ts';\nimport fs from 'node:fs';\n";
  const file: SourceFile = { path: 'core/x.ts', folder: 'core', text, lines: text.split('\n') };
  expect(breaches(file, rules.core!)).toHaveLength(2);
  const ours: SourceFile = { ...file, path: 'local/x.ts', folder: 'local' };
  expect(breaches(ours, rules.local!)).toHaveLength(1);
  expect(sources.length).toBeGreaterThan(100);
});
