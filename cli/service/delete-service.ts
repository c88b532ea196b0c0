import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { findJobId, jobPath } from '../job/input/job-reference.ts';

export const command = defineCommand({
  name: 'service delete',
  about: 'stop all instances of a service, and end it',
  args: [{ name: 'SERVICE', noun: 'job' }],
  flags: { ...yesFlag },
  examples: ['edgewise service delete last --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const id = await findJobId(client, args[0]!);
    const { name } = await client.get<Job>(jobPath(id));
    await confirm(terminal, flags.yes, `Delete ${name ?? id}?`);
    const { body } = await client.ask<Job | null>('DELETE', jobPath(id));
    const service = body ?? (await client.get<Job>(jobPath(id)));
    output.single(service, service.id, () => `${service.id} ${service.status.state}\n`);
    return exitCode.ok;
  },
});
