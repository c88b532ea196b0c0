import { listPages } from '../client/pages.ts';
import type { Chunk } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { limitFlags, readLimit } from '../output/list-limit.ts';
import { chunkTable, describeChunk } from './chunk-view.ts';
import { readChunkNumber } from './input/chunk-number.ts';
import { jobPath, withJob } from './input/job-reference.ts';

const states = ['pending', 'scheduled', 'running', 'done', 'dead', 'cancelled'];

export const command = defineCommand({
  name: 'job chunks',
  about: 'list the chunks of a job, or show one of them',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNK', noun: 'text', optional: true },
  ],
  flags: {
    state: { kind: 'text', short: 's', value: 'STATE', choices: states, about: states.join(', ') },
    ...limitFlags,
  },
  examples: ['edgewise job chunks last --state dead', 'edgewise job chunks last 3'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [reference, number] = args;
    if (number !== undefined) {
      const n = readChunkNumber(number);
      const chunk = await withJob(client, reference!, (id) =>
        client.get<Chunk>(jobPath(id, `/chunks/${n}`)),
      );
      output.single(chunk, String(n), () => describeChunk(chunk));
      return exitCode.ok;
    }
    const page = await withJob(client, reference!, (id) =>
      listPages<Chunk>(
        client,
        jobPath(id, '/chunks'),
        { state: flags.state },
        readLimit(flags),
        flags.cursor,
      ),
    );
    output.list(page, page.items, chunkTable(terminal.nowMs()));
    return exitCode.ok;
  },
});
