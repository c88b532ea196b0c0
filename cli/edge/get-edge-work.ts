import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { asEdge } from './edge-secret.ts';
import { edgePath } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge work',
  about: 'print the work document of an edge, as its agent gets it',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {},
  examples: ['edgewise edge work edge-10 --token "$EDGE_SECRET"'],
  async run({ args, api, output }) {
    const edge = args[0]!;
    const work: unknown = await asEdge(edge, () => api().get(edgePath(edge, '/work')));
    output.single(work, edge, () => `${JSON.stringify(work, null, 2)}\n`);
    return exitCode.ok;
  },
});
