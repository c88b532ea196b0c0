import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';

export const command = defineCommand({
  name: 'service scale',
  about: 'run more or fewer instances: the highest numbers go first, 0 stops and keeps it',
  args: [
    { name: 'SERVICE', noun: 'job' },
    { name: 'N', noun: 'text' },
  ],
  flags: {},
  examples: ['edgewise service scale last 5', 'edgewise service scale last 0'],
  async run({ args, api, output }) {
    const [reference, word] = args;
    const chunks = Number(word);
    if (!/^\d{1,7}$/.test(word!)) throw usage(`${word} is no number of instances.`);
    const client = api();
    const service = await withJob(client, reference!, async (id) => {
      const { body } = await client.ask<Job>('PATCH', jobPath(id), { body: { chunks } });
      return body;
    });
    output.single(service, service.id, () => `${service.id} ${chunks}\n`);
    return exitCode.ok;
  },
});
