import type { Webhook } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeWebhook, webhookPath } from './webhook-view.ts';

export const command = defineCommand({
  name: 'webhook get',
  about: 'show a webhook, and what came of the last event',
  args: [{ name: 'ID', noun: 'text' }],
  flags: {},
  examples: ['edgewise webhook get 0mwm1234'],
  async run({ args, api, output }) {
    const webhook = await api().get<Webhook>(webhookPath(args[0]!));
    output.single(webhook, webhook.id, () => describeWebhook(webhook));
    return exitCode.ok;
  },
});
