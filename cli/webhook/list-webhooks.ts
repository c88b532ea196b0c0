import type { Webhook } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { webhookTable } from './webhook-view.ts';

export const command = defineCommand({
  name: 'webhook list',
  about: 'list addresses that are notified of events, and how that goes',
  args: [],
  flags: { ...listFlags },
  examples: ['edgewise webhook list'],
  async run({ flags, api, output }) {
    const limit = readLimit(flags);
    const page = await listPages<Webhook>(api(), '/v1/webhooks', {}, limit, flags.cursor);
    output.list(page, page.items, webhookTable);
    return exitCode.ok;
  },
});
