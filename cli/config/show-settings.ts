import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { formatFields } from '../output/table.ts';
import { contextPath } from './context-file.ts';

export const command = defineCommand({
  name: 'config show',
  about: 'say which API would be used, and where that comes from',
  args: [],
  flags: {},
  examples: ['edgewise config show', 'edgewise config show -o json'],
  async run({ output, settings, terminal }) {
    const { api, source, token } = settings();
    const value = { api, source, token: token !== null, file: contextPath(terminal) };
    output.single(value, api ?? '', () =>
      formatFields([
        ['api', api ?? 'none'],
        ['from', source],
        ['token', token === null ? 'no' : 'yes'],
        ['file', value.file],
      ]),
    );
    return exitCode.ok;
  },
});
