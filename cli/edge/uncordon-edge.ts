import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { changeEdge } from './edge-change.ts';

export const command = defineCommand({
  name: 'edge uncordon',
  about: 'give an edge work again; also ends a drain',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {},
  examples: ['edgewise edge uncordon edge-10'],
  async run({ args, api, output }) {
    const edge = await changeEdge(api(), args[0]!, () => ({ cordoned: false, reason: null }));
    output.single(edge, edge.name, () => `${edge.name} takes work again\n`);
    return exitCode.ok;
  },
});
