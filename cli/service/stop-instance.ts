import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';
import { rolloutText } from './service-view.ts';

export const command = defineCommand({
  name: 'service stop',
  about: 'stop one instance: it starts again, elsewhere if there is room, or goes for good',
  args: [
    { name: 'SERVICE', noun: 'job' },
    { name: 'INSTANCE', noun: 'text' },
  ],
  flags: {
    scale: { kind: 'switch', about: 'run one instance fewer; the others keep their numbers' },
  },
  examples: ['edgewise service stop last 1', 'edgewise service stop last 1 --scale'],
  async run({ args, flags, api, output }) {
    const [reference, word] = args;
    if (!/^\d{1,7}$/.test(word!)) throw usage(`${word} is no number of an instance.`);
    const client = api();
    const service = await withJob(client, reference!, async (id) => {
      const path = `${jobPath(id, `/chunks/${Number(word)}`)}${flags.scale ? '?scale=true' : ''}`;
      return (await client.ask<Job>('DELETE', path)).body;
    });
    const text = flags.scale ? String(service.spec.chunks) : rolloutText(service);
    output.single(service, service.id, () => `${service.id} ${text}\n`);
    return exitCode.ok;
  },
});
