import type { ResultFile } from '../../core/contract/files/result-body.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';

export const command = defineCommand({
  name: 'job files',
  shortcut: 'files',
  about: 'list the files that the chunks of a job left',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: {
    chunk: { kind: 'number', value: 'N', min: 0, about: 'only of this chunk' },
    prefix: { kind: 'text', value: 'PATH', about: 'only those whose path begins like this' },
    ...listFlags,
  },
  examples: ['edgewise files last', 'edgewise files last --chunk 3 --prefix result/'],
  async run({ args, flags, api, output }) {
    const client = api();
    const { chunk, prefix } = flags;
    const page = await withJob(client, args[0]!, (id) =>
      listPages<ResultFile>(
        client,
        jobPath(id, '/files'),
        { chunk, prefix },
        readLimit(flags),
        flags.cursor,
      ),
    );
    output.list(page, page.items, fileTable);
    return exitCode.ok;
  },
});

const fileTable: Table<ResultFile> = {
  name: ({ chunk, path }) => `${chunk}/${path}`,
  columns: [
    { title: 'CHUNK', of: ({ chunk }) => chunk, right: true },
    { title: 'PATH', of: ({ path, link }) => (link === undefined ? path : `${path} -> ${link}`) },
    { title: 'BYTES', of: ({ bytes }) => bytes ?? '-', right: true },
    { title: 'SHA256', of: ({ sha256 }) => sha256 ?? '-', wide: true },
  ],
};
