import type { AuditEvent } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';

const auditTable: Table<AuditEvent> = {
  name: (event) => event.requestId,
  columns: [
    { title: 'TIME', of: (event) => event.at },
    { title: 'BY', of: (event) => event.by },
    { title: 'ACTION', of: (event) => event.action },
    { title: 'TARGET', of: (event) => event.target },
    { title: 'REQUEST', of: (event) => event.requestId, wide: true },
  ],
};

export const command = defineCommand({
  name: 'audit',
  about: 'who changed what, and when',
  args: [],
  flags: { ...listFlags },
  examples: ['edgewise audit'],
  async run({ flags, api, output }) {
    const page = await listPages<AuditEvent>(
      api(),
      '/v1/audit',
      {},
      readLimit(flags),
      flags.cursor,
    );
    output.list(page, page.items, auditTable);
    return exitCode.ok;
  },
});
