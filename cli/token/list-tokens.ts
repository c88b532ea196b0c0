import type { Token } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';

const tokenTable: Table<Token> = {
  name: (token) => token.id,
  columns: [
    { title: 'ID', of: (token) => token.id },
    { title: 'NAME', of: (token) => token.name ?? '-' },
    { title: 'SCOPES', of: (token) => token.scopes.join(',') },
    { title: 'EXPIRES', of: (token) => token.expiresAt ?? 'never' },
    { title: 'POOL', of: (token) => token.pool ?? '-', wide: true },
    { title: 'QUEUE', of: (token) => token.queue ?? '-', wide: true },
    { title: 'CREATED', of: (token) => token.createdAt ?? '-', wide: true },
  ],
};

export const command = defineCommand({
  name: 'token list',
  about: 'list tokens; secrets are never shown again',
  args: [],
  flags: { ...listFlags },
  examples: ['edgewise token list'],
  async run({ flags, api, output }) {
    const page = await listPages<Token>(api(), '/v1/tokens', {}, readLimit(flags), flags.cursor);
    output.list(page, page.items, tokenTable);
    return exitCode.ok;
  },
});
