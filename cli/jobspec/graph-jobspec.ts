import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { formatTable, type Table } from '../output/table.ts';
import { findJobspecId, jobspecPath } from './jobspec-view.ts';

type Node = {
  readonly name: string;
  readonly group: string | null;
  readonly kind: string;
  readonly state: string;
};
type Graph = {
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
};

export const command = defineCommand({
  name: 'jobspec graph',
  about: 'show tasks and groups of a jobspec, and who waits for whom',
  args: [{ name: 'JOBSPEC', noun: 'jobspec' }],
  flags: { dot: { kind: 'switch', about: 'as a graph for Graphviz' } },
  examples: ['edgewise jobspec graph last', 'edgewise jobspec graph last --dot | dot -Tsvg'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const path = jobspecPath(await findJobspecId(client, args[0]!), '/graph');
    if (flags.dot) {
      terminal.out(await client.bytes(path, { format: 'dot' }));
      return exitCode.ok;
    }
    const graph = await client.get<Graph>(path);
    const style = { wide: false, colour: output.colour };
    const text = () => formatTable(graph.nodes, tableOf(graph), style);
    output.single(graph, graph.nodes.map(({ name }) => name).join('\n'), text);
    return exitCode.ok;
  },
});

function tableOf({ edges }: Graph): Table<Node> {
  const after = (name: string) => edges.filter(({ to }) => to === name).map(({ from }) => from);
  return {
    name: ({ name }) => name,
    columns: [
      { title: 'NAME', of: ({ name }) => name },
      { title: 'KIND', of: ({ kind }) => kind },
      { title: 'STATE', of: ({ state }) => state, state: true },
      { title: 'AFTER', of: ({ name }) => after(name).join(', ') || '-' },
    ],
  };
}
