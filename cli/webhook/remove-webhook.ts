import type { Webhook } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { webhookPath } from './webhook-view.ts';

export const command = defineCommand({
  name: 'webhook remove',
  about: 'remove a webhook; its receiver is sent nothing more',
  args: [{ name: 'ID', noun: 'text' }],
  flags: yesFlag,
  examples: ['edgewise webhook remove 0mwm1234 --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const found = await client.get<Webhook>(webhookPath(args[0]!));
    await confirm(terminal, flags.yes, `Send nothing more to ${found.url}?`);
    await client.ask('DELETE', webhookPath(found.id));
    output.single(found, found.id, () => `${found.id} removed\n`);
    return exitCode.ok;
  },
});
