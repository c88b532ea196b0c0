import type { Chunk } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parsePairs } from '../input/pairs.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { chunkTable, describeChunk } from './chunk-view.ts';
import { getChunks, readChunks } from './input/chunk-set.ts';
import { jobPath, withJob } from './input/job-reference.ts';

const paramsOf = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parsePairs(words, 'param')).map(([name, value]) => [`param.${name}`, value]),
  );

const states = ['pending', 'scheduled', 'running', 'done', 'dead', 'cancelled'];

export const command = defineCommand({
  name: 'job chunks',
  about: 'list the chunks of a job, or those named; show one of them',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNKS', noun: 'text', optional: true },
  ],
  flags: {
    state: { kind: 'text', short: 's', value: 'STATE', choices: states, about: states.join(', ') },
    param: { kind: 'list', value: 'NAME=V', about: 'only those of a sweep with this parameter' },
    ...listFlags,
  },
  examples: [
    'edgewise job chunks last --state dead',
    'edgewise job chunks last 3',
    'edgewise job chunks last 0-9,12',
    'edgewise job chunks last --param lr=0.1',
  ],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const [reference, number] = args;
    const named = readChunks(number ?? 'all');
    if (named.kind === 'one') {
      const n = named.chunk;
      const chunk = await withJob(client, reference!, (id) =>
        client.get<Chunk>(jobPath(id, `/chunks/${n}`)),
      );
      output.single(chunk, String(n), () => describeChunk(chunk));
      return exitCode.ok;
    }
    if (named.kind === 'some') {
      if (flags.param.length > 0) {
        throw usage('--param chooses chunks by itself.', 'Leave out their numbers.');
      }
      const found = await withJob(client, reference!, (id) => getChunks(client, id, named.set));
      const items = found.filter(({ state }) => (flags.state ?? state) === state);
      output.list({ items, nextCursor: null }, items, chunkTable(terminal.nowMs()));
      return exitCode.ok;
    }
    const page = await withJob(client, reference!, (id) =>
      listPages<Chunk>(
        client,
        jobPath(id, '/chunks'),
        { state: flags.state, ...paramsOf(flags.param) },
        readLimit(flags),
        flags.cursor,
      ),
    );
    output.list(page, page.items, chunkTable(terminal.nowMs()));
    return exitCode.ok;
  },
});
