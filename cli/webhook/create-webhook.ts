import type { NewWebhook } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecText } from '../input/spec-file.ts';

export const command = defineCommand({
  name: 'webhook create',
  about: 'have an address notified of events; its secret is printed once and never again',
  args: [{ name: 'URL', noun: 'text' }],
  flags: {
    kinds: { kind: 'list', short: 'k', value: 'KIND', about: 'job.done, or job.* for all of jobs' },
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'only of this pool' },
    job: { kind: 'text', value: 'JOB', noun: 'job', about: 'only of this job' },
    'secret-file': {
      kind: 'text',
      value: 'FILE',
      about: 'file with a secret of yours; one is made without it',
    },
  },
  examples: [
    'edgewise webhook create https://example.com/hook --kinds job.done,job.failed',
    'edgewise webhook create https://example.com/hook --kinds "job.*" --job nightly',
  ],
  async run({ args, flags, api, output, terminal }) {
    const kinds = flags.kinds.flatMap((word) => word.split(','));
    if (kinds.length === 0) throw usage('--kinds is missing.', 'One is like job.done or job.*.');
    const { pool, job, 'secret-file': file } = flags;
    const secret = file === undefined ? undefined : (await readSpecText(terminal, file)).trim();
    const body = { url: args[0], kinds, pool, job, secret };
    const { body: made } = await api().ask<NewWebhook>('POST', '/v1/webhooks', { body });
    output.single(made, made.id, () => `${made.id}\n${made.secret}\n`);
    terminal.say('This is the only time the secret is shown: deliveries are signed with it.');
    return exitCode.ok;
  },
});
