import { join } from 'node:path';
import { DirectoryInUse } from '../../edge-agent/disk/data-directory.ts';
import { enrolWidths } from '../../edge-agent/limits.ts';
import { makeWideningLimiter } from '../../edge-agent/link/limiter.ts';
import { type AgentOptions, parseAgentOptions } from '../../edge-agent/program/agent-options.ts';
import { type AgentExit, runAgent } from '../../edge-agent/program/run-agent.ts';
import { agentEnvironment } from '../agent/agent-settings.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { fleetEdgesMax, ownDirectoriesMax } from '../limits.ts';

/**
 * Many simulated edges in one process. A small fleet gives each edge the directory that `edgewise
 * agent --name` would use, so that one of them can later run alone; a large one shares a single
 * journal, which costs one write for all of them.
 */

export const command = defineCommand({
  name: 'fleet',
  about: 'run simulated edges edge-START … edge-(END-1) in one process',
  args: [
    { name: 'START', noun: 'text' },
    { name: 'END', noun: 'text' },
  ],
  flags: {
    power: { kind: 'number', value: 'W', min: 1, about: 'power of each edge (250)' },
    prefix: { kind: 'text', value: 'NAME', about: 'what the names begin with (edge)' },
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'pool to enrol in' },
    label: { kind: 'list', short: 'l', value: 'K=V', about: 'label of each edge' },
    data: { kind: 'text', value: 'DIR', about: 'where the edges keep their state' },
    transport: {
      kind: 'text',
      value: 'mqtt|http',
      choices: ['mqtt', 'http'],
      about: 'mqtt or http',
    },
    'enrol-token-file': { kind: 'text', value: 'FILE', about: 'file with the enrol token' },
    'enrol-token': { kind: 'text', value: 'T', about: 'the token itself, for everybody to read' },
    'draw-power': {
      kind: 'switch',
      about: 'chunks draw random power instead of what they reserve',
    },
  },
  examples: ['edgewise fleet 100 110'],
  async run({ args, flags, given, settings, terminal }) {
    const start = readNumber(args[0]!, 'START');
    const end = readNumber(args[1]!, 'END');
    if (end <= start || end - start > fleetEdgesMax) {
      throw usage(
        `${start} to ${end} is not a fleet.`,
        `END is not included, so it is larger than START, by ${fleetEdgesMax} at most.`,
      );
    }
    const prefix = flags.prefix ?? 'edge';
    const names = Array.from({ length: end - start }, (_, i) => `${prefix}-${start + i}`);
    const argv = ['--name', names[0]!];
    const passed = ['power', 'pool', 'data', 'transport'] as const;
    for (const name of [...passed, 'enrol-token', 'enrol-token-file'] as const) {
      if (flags[name] !== undefined) argv.push(`--${name}`, String(flags[name]));
    }
    for (const label of flags.label) argv.push('--label', label);
    if (flags['draw-power']) argv.push('--draw-power');
    const access = settings();
    const tokenGiven = given.has('token') ? (access.token ?? undefined) : undefined;
    const options = readOptions(argv, agentEnvironment(terminal, access, tokenGiven));
    terminal.say(`Edges ${names[0]} … ${names.at(-1)} start; Ctrl-C stops them.`);
    const log = (line: string): void => terminal.say(line);
    return finish(await runTogether(divide(names, options), terminal.interrupted, log));
  },
});

function readNumber(text: string, name: string): number {
  if (!/^\d{1,7}$/.test(text))
    throw usage(`${name} is a number, not "${text}".`, 'Usage: edgewise fleet 100 110');
  return Number(text);
}

function readOptions(argv: string[], env: Record<string, string | undefined>): AgentOptions {
  try {
    return parseAgentOptions(argv, env);
  } catch (error) {
    throw usage((error as Error).message);
  }
}

/** `options` are those of the first edge alone; its directory lies beside those of the others. */
function divide(names: readonly string[], options: AgentOptions): AgentOptions[] {
  const { dataDirectory, workDirectory } = options;
  const placesOf = (name: string) => ({
    dataDirectory: join(dataDirectory, '..', name),
    workDirectory: workDirectory === null ? null : join(workDirectory, '..', name),
  });
  // One address cannot be that of several.
  const quiet = { ...options, quiet: true, metrics: null };
  if (names.length > ownDirectoriesMax) {
    const directory = `fleet-${names[0]}-${names.at(-1)}`;
    return [{ ...quiet, names, ...placesOf(directory) }];
  }
  return names.map((name) => ({ ...quiet, names: [name], ...placesOf(name) }));
}

/** When one cannot run, none does: half a fleet would only look like a whole one. */
async function runTogether(
  parts: readonly AgentOptions[],
  interrupted: AbortSignal,
  log: (line: string) => void,
): Promise<AgentExit[]> {
  const ending = new AbortController();
  const signal = AbortSignal.any([interrupted, ending.signal]);
  const enrolLimiter = makeWideningLimiter(enrolWidths);
  const runs = parts.map(async (options) => {
    try {
      return await runAgent(options, signal, { log, enrolLimiter });
    } catch (error) {
      ending.abort();
      if (error instanceof DirectoryInUse) throw new Failure(exitCode.conflict, error.message);
      throw error;
    }
  });
  const ended = await Promise.allSettled(runs);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

function finish(exits: readonly AgentExit[]) {
  if (exits.includes('not-enrolled')) {
    throw new Failure(
      exitCode.notAuthorised,
      'Not every edge could enrol.',
      'Give --enrol-token-file, or --token with the scope edges:enrol.',
    );
  }
  return exitCode.ok;
}
