import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { poolPath } from './get-pool.ts';

export const command = defineCommand({
  name: 'pool remove',
  about: 'remove a pool without edges and open jobs; its ended jobs stay',
  args: [{ name: 'POOL', noun: 'pool' }],
  flags: yesFlag,
  examples: ['edgewise pool remove typo --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [name] = args;
    const found = await client.get<Record<string, unknown>>(poolPath(name!));
    await confirm(terminal, flags.yes, `Remove the pool ${name}?`);
    await client.ask('DELETE', poolPath(name!));
    output.single(found, name!, () => `${name} removed\n`);
    return exitCode.ok;
  },
});
