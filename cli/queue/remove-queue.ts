import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { queuePath } from './get-queue.ts';

export const command = defineCommand({
  name: 'queue remove',
  about: 'remove the settings of a queue; its jobs go on with the defaults',
  args: [{ name: 'QUEUE', noun: 'queue' }],
  flags: yesFlag,
  examples: ['edgewise queue remove typo --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [name] = args;
    const found = await client.get<Record<string, unknown>>(queuePath(name!));
    await confirm(terminal, flags.yes, `Remove the queue ${name}?`);
    await client.ask('DELETE', queuePath(name!));
    output.single(found, name!, () => `${name} removed\n`);
    return exitCode.ok;
  },
});
