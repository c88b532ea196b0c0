import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecFile } from '../input/spec-file.ts';
import { asEdge } from './edge-secret.ts';
import { edgePath } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge report',
  about: 'send a report as this edge, for edges without an agent',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {
    file: {
      kind: 'text',
      short: 'f',
      value: 'FILE',
      about: 'the report, JSON or YAML; - is stdin',
    },
  },
  examples: ['edgewise edge report cluster-1 --file report.json --token "$EDGE_SECRET"'],
  async run({ args, flags, api, output, terminal }) {
    if (flags.file === undefined)
      throw usage('--file is missing.', 'Give the report: --file report.json');
    const body = await readSpecFile(terminal, flags.file);
    const edge = args[0]!;
    const send = () => api().ask('POST', edgePath(edge, '/report'), { body });
    const answer = await asEdge(edge, send);
    output.single(answer.body, edge, () => 'accepted\n');
    return exitCode.ok;
  },
});
