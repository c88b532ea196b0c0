import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { outputsOf } from '../../scripts/deploy/account.ts';
import { codeOf } from '../../scripts/repository.mjs';
import { waitUntil } from '../wait-until.ts';

/** What the tests on an emulator share: its addresses, and our commands as a user runs them. */
type Emulator = {
  readonly url: string;
  readonly mqtt: string;
  /** PEM of who signs the certificate of its broker. */
  readonly authority: string;
};

export const emulator: Emulator = JSON.parse(readFileSync(process.env.EDGEWISE_MINISTACK!, 'utf8'));

/** Our own programs, which take nothing else from this environment. */
export const clientEnvironment: Readonly<Record<string, string>> =
  process.env.NODE_EXTRA_CA_CERTS === undefined
    ? {}
    : { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS };

export type Said = { readonly code: number | null; readonly text: string };

const root = join(import.meta.dirname, '..', '..');

/**
 * `npm run deploy` or `npm run destroy`, where nobody can answer a question. With `until` it is
 * killed, and all that it started, as soon as it says that.
 */
export function runScript(
  name: 'deploy' | 'destroy',
  flags: readonly string[],
  { env = {}, until }: { readonly env?: NodeJS.ProcessEnv; readonly until?: RegExp } = {},
): Promise<Said> {
  const child = spawn(process.execPath, [join(root, 'scripts', `${name}.mjs`), ...flags], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: until !== undefined,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += String(part);
      if (until?.test(text) && child.exitCode === null && !child.killed) killGroup(child);
    });
  }
  return new Promise<Said>((resolve) => {
    child.on('close', (code) => resolve({ code, text }));
  }).then(async (said) => {
    if (until !== undefined) await waitUntil(() => isGone(child.pid!));
    return said;
  });
}

/** What was killed counts as alive, also for the CDK, until somebody asked how it ended. */
function isGone(group: number): boolean {
  try {
    process.kill(-group, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

function killGroup(child: ChildProcess): void {
  child.kill('SIGKILL');
  process.kill(-child.pid!, 'SIGKILL');
}

/** What every stage on the emulator is deployed with. */
export const deployFlags = [
  ...['--yes', '--bootstrap', '--no-agents'],
  ...['--parameter', `EdgeMqttEndpoint=${emulator.mqtt}`],
  ...['--parameter', `EdgeTrustAnchor=${emulator.authority}`],
];

export type Standing = {
  readonly api: string;
  readonly token: string;
  readonly outputs: ReadonlyMap<string, string>;
};

export const firstRegion = process.env.AWS_REGION!;

/** Names below `localhost` are not resolved everywhere, so the API is asked for by its path. */
export async function standing(stackName: string, region = firstRegion): Promise<Standing> {
  const stacks = new CloudFormationClient({ region });
  const { Stacks } = await stacks.send(new DescribeStacksCommand({ StackName: stackName }));
  stacks.destroy();
  const outputs = outputsOf(Stacks?.[0] ?? null);
  const [id] = new URL(outputs.get('ApiUrl')!).hostname.split('.');
  const secrets = new SecretsManagerClient({ region });
  const SecretId = outputs.get('AdminToken');
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  secrets.destroy();
  const api = `${emulator.url}/_aws/execute-api/${id}/$default`;
  return { api, token: SecretString!, outputs };
}

export async function ask<T>(
  { api, token }: Pick<Standing, 'api' | 'token'>,
  path: string,
  body?: unknown,
): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${api}${path}`, { headers, ...sent });
  return (await answer.json()) as T;
}
