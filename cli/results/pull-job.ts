import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { withJob } from '../job/input/job-reference.ts';
import { pullResults, sayPulled } from './pull-results.ts';

export const command = defineCommand({
  name: 'job pull',
  shortcut: 'pull',
  about: 'fetch the files that the chunks of a job left',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: {
    chunk: { kind: 'number', value: 'N', min: 0, about: 'only of this chunk' },
    to: { kind: 'text', value: 'DIR', about: 'where to; a directory named after the job' },
  },
  examples: ['edgewise pull last', 'edgewise pull last --chunk 3 --to frames'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const pulled = await withJob(client, args[0]!, (id) =>
      pullResults(client, terminal, id, { chunk: flags.chunk, to: flags.to }),
    );
    output.single(pulled, pulled.directory, () => `${pulled.directory}\n`);
    sayPulled(terminal, pulled);
    return exitCode.ok;
  },
});
