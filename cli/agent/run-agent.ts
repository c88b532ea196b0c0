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
    'enrol-token': { kind: 'text', value: 'T', about: 'token for the first start' },
    transport: {
      kind: 'text',
      value: 'mqtt|http',
      choices: ['mqtt', 'http'],
      about: 'how it talks to the cloud',
    },
    policy: { kind: 'text', value: 'FILE', about: 'what the owner of this edge allows' },
    quiet: { kind: 'switch', about: 'print only what matters' },
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
