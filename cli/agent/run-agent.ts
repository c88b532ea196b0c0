import { agentCommand } from '../../edge-agent/main.ts';
import { defineCommand } from '../command.ts';
import type { ExitCode } from '../exit-code.ts';
import { resolveSettings } from '../settings.ts';
import { agentEnvironment, takeClientFlags } from './agent-settings.ts';

/**
 * The agent has its own parser and its own program; here it only learns which API this client would
 * talk to.
 */
export const command = defineCommand({
  name: 'agent',
  about: 'be an edge: enrol, take work, run it, report',
  args: [],
  raw: true,
  flags: {
    name: { kind: 'text', value: 'NAME', about: 'name of the edge' },
    count: { kind: 'number', value: 'N', about: 'run N edges: NAME-0 … NAME-(N-1)' },
    power: { kind: 'number', value: 'W', about: 'power of each edge' },
    executor: { kind: 'list', value: 'NAME', about: 'offer only this executor' },
    label: { kind: 'list', value: 'K=V', about: 'label' },
    pool: { kind: 'text', value: 'POOL', noun: 'pool', about: 'pool to enrol in' },
    data: { kind: 'text', value: 'DIR', about: 'where the agent keeps its state' },
    'work-dir': { kind: 'text', value: 'DIR', about: 'where chunks have their directories' },
    'cache-bytes': { kind: 'number', value: 'N', about: 'how much files of jobs may take here' },
    'chunk-user': { kind: 'text', value: 'USER', about: 'run chunks as this user, or none' },
    'enrol-token-file': {
      kind: 'text',
      value: 'FILE',
      about: 'file with the token for the first start; - is standard input',
    },
    'enrol-token': { kind: 'text', value: 'T', about: 'the token itself, for everybody to read' },
    transport: {
      kind: 'text',
      value: 'mqtt|http',
      choices: ['mqtt', 'http'],
      about: 'how it is linked to the control plane',
    },
    'mqtt-endpoint': { kind: 'text', value: 'HOST:PORT', about: 'where its broker is' },
    address: { kind: 'text', value: 'HOST', about: 'where others reach services on this host' },
    pull: { kind: 'switch', about: 'take work by oneself, by what is free, over HTTPS' },
    max: { kind: 'number', value: 'N', about: 'with --pull: offers looked at together' },
    every: { kind: 'text', value: 'SECONDS', about: 'with --pull: how often' },
    offers: {
      kind: 'text',
      value: 'named|pool',
      choices: ['named', 'pool'],
      about: 'with --pull: what it is offered',
    },
    policy: { kind: 'text', value: 'FILE', about: 'what the owner of this edge allows' },
    quiet: { kind: 'switch', about: 'print only what matters' },
    'log-format': {
      kind: 'text',
      value: 'text|json',
      choices: ['text', 'json'],
      about: 'how it says what it does',
    },
    'log-level': {
      kind: 'text',
      value: 'info|warning|error',
      choices: ['info', 'warning', 'error'],
      about: 'that and what is worse',
    },
    metrics: {
      kind: 'text',
      value: 'PORT',
      about: 'figures for Prometheus on this port, here only',
    },
  },
  examples: ['edgewise agent --name edge-1 --power 250'],
  async run({ args: argv, terminal }) {
    const { words: args, given } = takeClientFlags(argv);
    const streams = {
      out: (text: string) => terminal.out(text),
      err: (text: string) => terminal.draw(text),
    };
    const asksOnly = args.some((word) => ['--help', '-h', '--version'].includes(word));
    const env = asksOnly
      ? terminal.env
      : agentEnvironment(terminal, resolveSettings(given, terminal), given.token);
    return (await agentCommand(args, env, streams, terminal.interrupted)) as ExitCode;
  },
});
