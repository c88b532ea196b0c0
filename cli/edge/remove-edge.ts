import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { edgePath } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge remove',
  about: 'drain an edge, then remove it with its certificate and its shadows',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {
    force: { kind: 'switch', about: 'at once: what it runs is run elsewhere' },
    ...yesFlag,
  },
  examples: ['edgewise edge remove edge-10 --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [name] = args;
    await client.get(edgePath(name!));
    await confirm(terminal, flags.yes, `Remove ${name}${flags.force ? ' at once' : ''}?`);
    const query = flags.force ? { force: true } : {};
    const { body } = await client.ask('DELETE', edgePath(name!), { query });
    const done = flags.force ? 'removed' : 'drains and is removed then';
    output.single(body, name!, () => `${name} ${done}\n`);
    return exitCode.ok;
  },
});
