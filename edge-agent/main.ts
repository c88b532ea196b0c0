#!/usr/bin/env node
import { DirectoryInUse } from './disk/data-directory.ts';
import { IsolationError } from './host/isolation.ts';
import { makeLog } from './host/log-lines.ts';
import { PolicyError } from './host/policy.ts';
import { ProxyError } from './link/proxy.ts';
import { MetricsError } from './metrics/metrics-server.ts';
import {
  type AgentOptions,
  agentUsage,
  type Environment,
  parseAgentOptions,
} from './program/agent-options.ts';
import { keepLoopbackDirect, obeyProxies } from './program/proxies.ts';
import { hideSecrets } from './program/secrets.ts';
import { UsageError } from './program/usage-error.ts';
import { agentVersion } from './program/version.ts';
import { UpdateError } from './update/fetch-release.ts';

/**
 * The agent as a program: `edgewise-agent --name edge-10 …`, and as `edgewise agent …` inside the
 * CLI. Data goes to stdout, messages to stderr; a user never sees a stack trace.
 */
export type AgentStreams = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

/** The exit codes of the CLI that an agent can end with. */
const exitCodes = { ok: 0, failure: 1, usage: 2, notAuthorised: 4 } as const;

export async function agentCommand(
  argv: readonly string[],
  env: Environment,
  streams: AgentStreams,
  signal?: AbortSignal,
): Promise<number> {
  if (argv[0] === 'launcher') return runAsLauncher(argv[1] ?? '', argv[2] ?? '');
  if (argv.includes('--version')) return say(streams.out, `edgewise-agent ${agentVersion}\n`);
  const asksHelp = argv.includes('--help') || argv.includes('-h');
  if (asksHelp && argv[0] !== 'update') return say(streams.out, agentUsage);
  try {
    obeyProxies(env);
    if (argv[0] === 'doctor') return await runDoctor(argv.slice(1), env, streams);
    if (argv[0] === 'update') return await runUpdate(argv.slice(1), env, streams);
    const options = parseAgentOptions(argv, env);
    keepSecrets(argv, options, streams);
    // Loaded only now, so that the launcher of a single binary stays as small as it can be.
    const { runAgent } = await import('./program/run-agent.ts');
    const log = makeLog(options.log, { write: streams.err, nowMs: Date.now });
    const exit = await runAgent(options, signal ?? signalOfProcess(), { log }).catch((error) => {
      log(explain(error), 'error');
      return 'failed' as const;
    });
    if (exit === 'failed') return exitCodes.failure;
    return exit === 'stopped' ? exitCodes.ok : exitCodes.notAuthorised;
  } catch (error) {
    if (error instanceof UsageError) {
      streams.err(`${error.message}\nedgewise agent --help shows the options.\n`);
      return exitCodes.usage;
    }
    streams.err(`${explain(error)}\n`);
    return exitCodes.failure;
  }
}

const tokenFlags = [
  ['--enrol-token', 'EDGEWISE_ENROL_TOKEN'],
  ['--downstream-token', 'EDGEWISE_DOWNSTREAM_TOKEN'],
] as const;

/** Before any chunk starts. */
function keepSecrets(
  argv: readonly string[],
  { enrolToken, edgeSecret, downstream }: AgentOptions,
  { err }: AgentStreams,
): void {
  for (const [flag, variable] of tokenFlags) {
    if (!argv.some((word) => word === flag || word.startsWith(`${flag}=`))) continue;
    const better = `give it with ${flag}-file or ${variable}`;
    err(`A token on a command line can be read by everybody here: ${better}.\n`);
  }
  const given = [
    enrolToken,
    edgeSecret,
    downstream?.token ?? null,
    process.env.EDGEWISE_ENROL_TOKEN,
    process.env.EDGEWISE_TOKEN,
  ];
  const secrets = given.filter((value) => typeof value === 'string' && value !== '');
  if (secrets.length === 0 || hideSecrets(secrets as string[])) return;
  err('The token stays readable in /proc for programs of this user: give it in a file.\n');
}

/** A single binary starts itself again under this name; it ends the process by itself. */
async function runAsLauncher(socketPath: string, directory: string): Promise<number> {
  try {
    const { startNativeLauncher } = await import('./launcher/native-launcher.ts');
    await startNativeLauncher({ socketPath, directory });
    return exitCodes.ok;
  } catch {
    const { runLauncher } = await import('./launcher/launcher-program.ts');
    runLauncher({ socketPath, directory });
    return new Promise(() => {});
  }
}

/** One line for each thing looked at; the exit code says whether all is well. */
async function runDoctor(
  argv: readonly string[],
  env: Environment,
  streams: AgentStreams,
): Promise<number> {
  const { examineAgent } = await import('./program/doctor.ts');
  const findings = await examineAgent(parseAgentOptions(argv, env), env);
  for (const { check, isOk, words } of findings) {
    streams.out(`${isOk ? 'ok  ' : 'BAD '} ${check.padEnd(12)} ${words}\n`);
  }
  return findings.every(({ isOk }) => isOk) ? exitCodes.ok : exitCodes.failure;
}

/** Of this program, whichever of the two carries the agent. */
async function runUpdate(
  argv: readonly string[],
  env: Environment,
  streams: AgentStreams,
): Promise<number> {
  const { installedProgram } = await import('./update/installed-program.ts');
  const { updateProgram } = await import('./update/update-program.ts');
  await updateProgram(argv, env, installedProgram(), streams.out);
  return exitCodes.ok;
}

function say(write: (text: string) => void, text: string): number {
  write(text);
  return exitCodes.ok;
}

const ourErrors = [
  ...[DirectoryInUse, PolicyError, IsolationError],
  ...[MetricsError, ProxyError, UpdateError],
];

function explain(error: unknown): string {
  const isOurs = ourErrors.some((one) => error instanceof one);
  if (isOurs) return (error as Error).message;
  const { code, path, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && syscall === 'mkdir') {
    return `The agent cannot make ${path}: its disk takes no directories. Choose another --data.`;
  }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return (
        `The agent may not use ${path ?? 'its data directory'}. ` +
        'Choose another --data, or give it to this user.'
      );
    case 'ENOSPC':
      return `The disk of ${path ?? 'the data directory'} is full. Make room and start again.`;
    case 'EROFS':
      return `${path ?? 'The data directory'} is read-only. Choose another --data.`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path ?? 'The data directory'} is not a directory. Choose another --data.`;
    default:
      return `The agent cannot go on: ${message ?? String(error)}.`;
  }
}

/** The first Ctrl-C or SIGTERM stops in order, the second at once. */
function signalOfProcess(): AbortSignal {
  const stop = new AbortController();
  const stopOnce = (): void => {
    if (stop.signal.aborted) process.exit(exitCodes.failure);
    stop.abort();
  };
  process.on('SIGINT', stopOnce);
  process.on('SIGTERM', stopOnce);
  return stop.signal;
}

if (import.meta.main) {
  keepLoopbackDirect(process.env);
  process.exitCode = await agentCommand(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}
