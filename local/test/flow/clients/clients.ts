/**
 * The clients, how their tools are put into a folder of this repository's cache, and how the
 * program with their calls is run. It prints one object: the call, and `works` or what went wrong.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { javascriptCalls } from './javascript.ts';

export type ClientName = 'awscli' | 'boto3' | 'javascript' | 'go' | 'java';

export type Client = {
  readonly name: ClientName;
  readonly title: string;
  /** Why it cannot be tried here, or undefined when it is ready. */
  prepare(timeoutMs: number): Promise<string | undefined>;
  run(environment: Readonly<Record<string, string>>): Promise<Record<string, string>>;
};

const here = import.meta.dirname;
const cache = join(here, '..', '..', '..', '..', 'node_modules', '.cache', 'aws-clients');
const versions = { awscli: '1.46.2', boto3: '1.43.62' };
export const runMsMax = 300_000;

const execute = promisify(execFile);

type Words = readonly [command: string, ...args: string[]];

/** The local cloud is on this machine, whatever proxy the host has for others. */
const quietAws = {
  AWS_PAGER: '',
  AWS_EC2_METADATA_DISABLED: 'true',
  ...{ NO_PROXY: 'localhost,127.0.0.1', no_proxy: 'localhost,127.0.0.1' },
};

async function call([command, ...args]: Words, cwd: string, env: object, timeout: number) {
  const { stdout } = await execute(command, args, {
    cwd,
    timeout,
    env: { ...process.env, ...quietAws, ...env },
    maxBuffer: 16_777_216,
  });
  return stdout;
}

type Failure = { readonly code?: unknown; readonly stderr?: string; readonly stdout?: string };

/** One step of an installation; its failure is a reason, with the first error that was said. */
async function failureOf(words: Words, cwd: string, timeoutMs: number) {
  try {
    await call(words, cwd, {}, timeoutMs);
    return undefined;
  } catch (error) {
    const { code, stderr = '', stdout = '' } = error as Failure;
    if (code === 'ENOENT') return `there is no ${words[0]} on this machine`;
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /error|fail/i.test(line));
    return `${words[0]} failed: ${lines[0]?.slice(0, 200) ?? 'it says no reason'}`;
  }
}

async function firstFailure(steps: readonly Words[], cwd: string, timeoutMs: number) {
  for (const step of steps) {
    const why = await failureOf(step, cwd, timeoutMs);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Installed once: a file in the folder says that it is whole. */
async function installed(
  folder: string,
  steps: readonly Words[],
  timeoutMs: number,
): Promise<string | undefined> {
  const mark = join(folder, 'complete');
  const wanted = JSON.stringify(steps);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return undefined;
  mkdirSync(folder, { recursive: true });
  const why = await firstFailure(steps, folder, timeoutMs);
  if (why === undefined) writeFileSync(mark, wanted);
  return why;
}

const python = join(cache, 'python');

const pythonClient = (name: 'awscli' | 'boto3', title: string): Client => ({
  name,
  title,
  prepare: (timeoutMs) =>
    installed(
      python,
      [
        ['python3', '-m', 'venv', '.'],
        [
          join(python, 'bin', 'pip'),
          ...['install', '--quiet', '--disable-pip-version-check'],
          ...[`awscli==${versions.awscli}`, `boto3==${versions.boto3}`],
        ],
      ],
      timeoutMs,
    ),
  run: async (environment) => {
    const words: Words = [join(python, 'bin', 'python'), join(here, 'python', 'calls.py'), name];
    return resultsOf(await call(words, here, environment, runMsMax));
  },
});

const goProgram = join(cache, 'go', 'calls');

const go: Client = {
  name: 'go',
  title: `Go SDK ${versionIn('go/go.mod', /aws-sdk-go-v2 v([\d.]+)/)}`,
  prepare: async (timeoutMs) => {
    mkdirSync(dirname(goProgram), { recursive: true });
    return firstFailure([['go', 'build', '-o', goProgram, '.']], join(here, 'go'), timeoutMs);
  },
  run: async (environment) => resultsOf(await call([goProgram], here, environment, runMsMax)),
};

const javaClasses = join(cache, 'java', 'class-path');

const java: Client = {
  name: 'java',
  title: `Java SDK ${versionIn('java/pom.xml', /<artifactId>bom.*\s*<version>([\d.]+)/)}`,
  prepare: async (timeoutMs) => {
    const file = `-Dmdep.outputFile=${javaClasses}`;
    const words: Words = ['mvn', '-q', '-B', 'dependency:build-classpath', file];
    mkdirSync(dirname(javaClasses), { recursive: true });
    return firstFailure([words, ['javac', '-version']], join(here, 'java'), timeoutMs);
  },
  run: async (environment) => {
    const classes = readFileSync(javaClasses, 'utf8').trim();
    const words: Words = ['java', '-cp', classes, join(here, 'java', 'Calls.java')];
    return resultsOf(await call(words, here, environment, runMsMax));
  },
};

const javascript: Client = {
  name: 'javascript',
  title: 'JavaScript SDK 3',
  prepare: async () => undefined,
  run: javascriptCalls,
};

function versionIn(path: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(join(here, path), 'utf8'))?.[1] ?? '';
}

/** A program may warn before it answers. */
function resultsOf(stdout: string): Record<string, string> {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>;
}

export const clients: ReadonlyMap<ClientName, Client> = new Map(
  [
    pythonClient('awscli', `awscli ${versions.awscli}`),
    pythonClient('boto3', `boto3 ${versions.boto3}`),
    javascript,
    go,
    java,
  ].map((client) => [client.name, client]),
);
