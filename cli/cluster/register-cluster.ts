import { graphBytesMax, subsystemBytesMax } from '../../core/graph/limits.ts';
import { namedValue } from '../../core/protocol/named-values.ts';
import { defineCommand } from '../command.ts';
import { readContexts, writeContexts } from '../config/context-file.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { confirm, mayAsk, yesFlag } from '../input/confirmation.ts';
import { parseAmounts, parsePairs } from '../input/pairs.ts';
import { readSpecFile } from '../input/spec-file.ts';
import type { Terminal } from '../terminal.ts';

/** Before anything is registered: its secret is shown once, and the stored one is of another. */
async function checkContext(terminal: Terminal, name: string, yes: boolean): Promise<void> {
  if (yes || namedValue(readContexts(terminal).contexts, name) === undefined) return;
  if (!mayAsk(terminal)) {
    const remedy = 'With --yes it is replaced; without --save nothing is stored.';
    throw usage(`There is a context ${name} already.`, remedy);
  }
  await confirm(terminal, yes, `There is a context ${name}. Replace it?`);
}

type Registered = { readonly token: string; readonly secret: string; readonly submitToken: string };

export const command = defineCommand({
  name: 'cluster register',
  about: 'make a cluster known with its graph; prints its credentials once',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: {
    nodes: { kind: 'text', short: 'f', value: 'FILE', about: 'its graph, or its limits' },
    subsystem: { kind: 'list', value: 'NAME=FILE', about: 'a subsystem of it' },
    mode: { kind: 'text', value: 'MODE', choices: ['push', 'pull'], about: 'push or pull (push)' },
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'its pool (default)' },
    resource: { kind: 'list', value: 'NAME=N', about: 'an amount that it offers: power=100' },
    label: { kind: 'list', short: 'l', value: 'K=V', about: 'a label' },
    save: { kind: 'switch', about: 'keep its secret as the context of its name' },
    ...yesFlag,
  },
  examples: ['edgewise cluster register keebler --nodes nodes.json --mode pull --save'],
  async run({ args, flags, api, output, settings, terminal }) {
    const name = args[0]!;
    if (flags.nodes === undefined && flags.resource.length === 0) {
      throw usage('--nodes is missing.', 'Give the graph of the cluster: --nodes nodes.json.');
    }
    if (flags.save) await checkContext(terminal, name, flags.yes);
    const subsystems = new Map<string, unknown>();
    for (const [key, file] of Object.entries(parsePairs(flags.subsystem, 'subsystem'))) {
      subsystems.set(key, await readSpecFile(terminal, file, subsystemBytesMax));
    }
    const body = {
      name,
      ...(flags.nodes === undefined
        ? {}
        : { nodes: await readSpecFile(terminal, flags.nodes, graphBytesMax) }),
      ...(subsystems.size === 0 ? {} : { subsystems: Object.fromEntries(subsystems) }),
      ...(flags.mode === undefined ? {} : { mode: flags.mode }),
      ...(flags.pool === undefined ? {} : { pool: flags.pool }),
      ...(flags.resource.length === 0
        ? {}
        : { capacity: parseAmounts(flags.resource, 'resource') }),
      ...(flags.label.length === 0 ? {} : { labels: parsePairs(flags.label, 'label') }),
    };
    const answer = await api().ask<Registered>('POST', '/v1/edges', { body, packed: true });
    const { token, secret, submitToken } = answer.body;
    if (flags.save) {
      const { current, contexts } = readContexts(terminal);
      const saved = { api: settings().api ?? '', token: secret };
      writeContexts(terminal, { current, contexts: { ...contexts, [name]: saved } });
    }
    output.single({ token, secret, submitToken }, name, () => `${token}\n${secret}\n`);
    terminal.say(`${name} is registered. Its token and secret are shown once, and so is the token`);
    terminal.say(`by which others submit to it: ${submitToken}`);
    return exitCode.ok;
  },
});
