import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { shapeFlags } from '../output/table-shape.ts';
import { readContexts } from './context-file.ts';

export const command = defineCommand({
  name: 'config list',
  about: 'list contexts; the current one has a star',
  args: [],
  flags: { ...shapeFlags },
  examples: ['edgewise config list'],
  async run({ output, terminal }) {
    const { current, contexts } = readContexts(terminal);
    const items = Object.entries(contexts).map(([name, { api, token }]) => ({
      name,
      api,
      token: token !== null,
      current: name === current,
    }));
    output.list({ items, nextCursor: null }, items, {
      name: (context) => context.name,
      columns: [
        { title: '', of: (context) => (context.current ? '*' : ' ') },
        { title: 'NAME', of: (context) => context.name },
        { title: 'API', of: (context) => context.api },
        { title: 'TOKEN', of: (context) => (context.token ? 'yes' : 'no') },
      ],
    });
    return exitCode.ok;
  },
});
