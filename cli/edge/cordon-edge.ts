import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { changeEdge, reasonFlag } from './edge-change.ts';

export const command = defineCommand({
  name: 'edge cordon',
  about: 'give an edge no new work; what it has goes on',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: reasonFlag,
  examples: ['edgewise edge cordon edge-10 --reason "new disk"'],
  async run({ args, flags, api, output }) {
    const reason = flags.reason ?? null;
    const edge = await changeEdge(api(), args[0]!, () => ({ cordoned: true, reason }));
    output.single(edge, edge.name, () => `${edge.name} cordoned\n`);
    return exitCode.ok;
  },
});
