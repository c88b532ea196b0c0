import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { bodiesOf } from './planned.ts';

/** Groups run by the shells that there are here. What happens is what the tasks wrote down. */
const directory = mkdtempSync(join(tmpdir(), 'edgewise-group-script-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const hasShell = (name: string): boolean => {
  try {
    return execFileSync(name, ['-c', 'echo here'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
};
const shells = ['sh', 'bash', 'dash'].filter(hasShell);

type Ran = { readonly code: number | null; readonly lines: string[]; readonly said: string };

let runs = 0;
function run(
  group: object,
  shell = 'sh',
  resources: object = {},
  begun: (child: ChildProcess, log: string) => void = () => {},
): Promise<Ran> {
  const own = mkdtempSync(join(directory, 'run-'));
  const log = join(own, 'log');
  const spec = {
    resources: { four: cores(4), two: cores(2), one: cores(1), ...resources },
    groups: [{ name: 'g', resources: 'four', ...group }],
  };
  const [body] = bodiesOf(spec);
  const [, ...argv] = body.run.process.argv as string[];
  const env = { ...process.env, ...body.run.process.env, LOG: log, TMPDIR: own, RUN: `${++runs}` };
  return new Promise((resolve, reject) => {
    const child = spawn(shell, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    begun(child, log);
    child.stderr.on('data', (data) => (said += data));
    child.on('error', reject);
    child.on('close', (code) => {
      const left = readdirSync(own).filter((name) => name.startsWith('group.'));
      if (left.length > 0) reject(new Error(`left behind: ${left.join(' ')}`));
      resolve({ code, lines: linesOf(log), said });
    });
  });
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

function cores(count: number): object {
  return { type: 'node', count: 1, with: [{ type: 'core', count }] };
}

/** Writes when it begins and ends; appends of a line are whole. */
function noted(name: string, more: object = {}, seconds = 0): object {
  const line = (sign: string) => `echo "${sign} ${name} $EDGEWISE_CHUNK" >> "$LOG"`;
  const command = `${line('+')}; sleep ${seconds}; ${line('-')}`;
  return { name, command, ...more };
}

test.each(shells)('%s: a task waits for those it depends on', async (shell) => {
  const tasks = [
    noted('c', { depends_on: ['a', 'b'], resources: 'one' }),
    noted('a', { resources: 'one' }, 0.05),
    noted('b', { resources: 'one', depends_on: ['a'] }),
  ];
  const { code, lines } = await run({ tasks }, shell);
  expect({ code, lines }).toEqual({
    code: 0,
    lines: ['+ a 0', '- a 0', '+ b 0', '- b 0', '+ c 0', '- c 0'],
  });
});

test.each(shells)(
  '%s: a failure is reported, others are let end, who waits is skipped',
  async (shell) => {
    const tasks = [
      { name: 'bad', command: 'exit 3', resources: 'one' },
      noted('other', { resources: 'one' }, 0.1),
      noted('after', { depends_on: ['bad'], resources: 'one' }),
      noted('later', { depends_on: ['after'], resources: 'one' }),
    ];
    const { code, lines, said } = await run({ tasks }, shell);
    expect({ code, lines }).toEqual({ code: 1, lines: ['+ other 0', '- other 0'] });
    expect(said).toContain('group g failed: bad(3) after(skipped) later(skipped)\n');
  },
);

test.each(shells)('%s: with stopOnFailure the others are ended', async (shell) => {
  const tasks = [
    { name: 'bad', command: 'sleep 0.2; exit 3', resources: 'one' },
    { name: 'long', command: ['sleep', '60'], resources: 'one' },
    noted('more', { replicas: 50, resources: 'two' }, 0.1),
  ];
  const began = Date.now();
  const { code, lines } = await run({ tasks, attributes: { stopOnFailure: true } }, shell);
  expect(code).toBe(1);
  expect(Date.now() - began).toBeLessThan(30_000);
  expect(lines.length).toBeLessThan(90);
});

test.each(shells)(
  '%s: with stopOnFailure one that has just been started is ended too',
  async (shell) => {
    const tasks = [
      { name: 'bad', command: 'exit 3', resources: 'one' },
      // One that is not ended keeps the group, and so the test, from ending.
      { name: 'just', command: ['sleep', '600'], replicas: 30, resources: 'one' },
    ];
    const resources = { many: cores(31) };
    const attributes = { stopOnFailure: true };
    for (let round = 0; round < 3; round++) {
      const { code } = await run({ tasks, resources: 'many', attributes }, shell, resources);
      expect(code).toBe(1);
    }
  },
);

test.each(shells)('%s: a group that is ended leaves nothing behind', async (shell) => {
  const inner = {
    name: 'inner',
    resources: 'one',
    tasks: [{ command: 'echo in >> "$LOG"; exec sleep 61' }],
  };
  const own = { command: 'echo out >> "$LOG"; exec sleep 62', resources: 'one' };
  // It is over when nobody is left who could write to what it wrote to.
  const ended = run(
    { tasks: [own, { group: 'inner' }], groups: [inner] },
    shell,
    {},
    (child, log) => {
      const isUp = () => linesOf(log).length === 2;
      const look = setInterval(() => {
        if (!isUp()) return;
        clearInterval(look);
        child.kill('SIGTERM');
      }, 20);
    },
  );
  expect((await ended).code).toBe(143);
});

test('a task has its own directory, environment, number and time', async () => {
  const attributes = { environment: { A: "it's", B: 'own' }, cwd: '/', duration: 1 };
  const tasks = [
    {
      name: 'shown',
      command: 'echo "$A $B $C $PWD $EDGEWISE_CHUNK/$EDGEWISE_CHUNKS" >> "$LOG"',
      attributes,
      replicas: 2,
    },
    { name: 'slow', command: ['sleep', '60'], attributes: { duration: 1 }, depends_on: ['shown'] },
  ];
  const { code, lines, said } = await run({
    tasks,
    attributes: { environment: { B: 'b', C: 'c' } },
  });
  expect(lines).toEqual(["it's own c / 0/2", "it's own c / 1/2"]);
  expect({ code, said: said.trim() }).toEqual({ code: 1, said: 'group g failed: slow(124)' });
});

test('what follows a local task waits for it, and it takes no place', async () => {
  const tasks = [
    noted('wide', {}, 0.2),
    noted('local', { local: true }, 0.1),
    noted('next', { resources: 'one' }),
  ];
  const { lines } = await run({ tasks });
  expect(lines.slice(0, 2).sort()).toEqual(['+ local 0', '+ wide 0']);
  expect(lines.slice(2)).toEqual(['- local 0', '- wide 0', '+ next 0', '- next 0']);
});

const sizes = fc.constantFrom('one', 'two', 'four', undefined);
const member = fc.record({
  resources: sizes,
  replicas: fc.integer({ min: 1, max: 5 }),
  fails: fc.boolean(),
});
const weight = { one: 1, two: 2, four: 4 };

test('what runs at one time never needs more than the group holds, also in a nested group', async () => {
  const drawn = fc.record({
    outer: fc.array(member, { minLength: 1, maxLength: 4 }),
    inner: fc.array(member, { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ outer, inner }) => {
      const tasks = (them: typeof outer, prefix: string, all: 'four' | 'two') =>
        them.map(({ resources = all, replicas, fails }, at) => {
          const within = weight[resources] > weight[all] ? all : resources;
          const line = (sign: string) => `echo "${sign} ${weight[within]} ${prefix}" >> "$LOG"`;
          const command = `${line('+')}; sleep 0.01; ${line('-')}; exit ${fails ? 1 : 0}`;
          return { name: `t${at}`, command, resources: within, replicas };
        });
      const groups = [{ name: 'inner', resources: 'two', tasks: tasks(inner, 'inner', 'two') }];
      const all = [...tasks(outer, 'outer', 'four'), { group: 'inner' }];
      const { code, lines } = await run({ tasks: all, groups });
      expect(code).toBe([...outer, ...inner].some(({ fails }) => fails) ? 1 : 0);
      const ran = [...outer, ...inner].reduce((sum, { replicas }) => sum + replicas, 0);
      expect(lines.length).toBe(2 * ran);
      const most = mostUsed(lines);
      expect(most.inner).toBeLessThanOrEqual(2);
      expect(most.all).toBeLessThanOrEqual(4);
    }),
    { numRuns: 25 },
  );
}, 120_000);

function mostUsed(lines: readonly string[]): { all: number; inner: number } {
  const used = { outer: 0, inner: 0 };
  const most = { all: 0, inner: 0 };
  for (const line of lines) {
    const [sign, size, where] = line.split(' ') as [string, string, 'outer' | 'inner'];
    used[where] += (sign === '+' ? 1 : -1) * Number(size);
    most.inner = Math.max(most.inner, used.inner);
    most.all = Math.max(most.all, used.inner + used.outer);
  }
  return most;
}
