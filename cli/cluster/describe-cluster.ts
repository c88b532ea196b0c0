import { availableParallelism, hostname } from 'node:os';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecFile, readSpecText } from '../input/spec-file.ts';
import { type ClusterNode, graphOf, nodesOfFlux, nodesOfSinfo } from './cluster-graph.ts';

export const command = defineCommand({
  name: 'cluster describe',
  about: 'print a graph to register: of this host, or of what Slurm or Flux says',
  args: [],
  flags: {
    name: { kind: 'text', value: 'NAME', about: 'the name of the cluster in the graph' },
    sinfo: {
      kind: 'text',
      value: 'FILE',
      about: 'what sinfo -h -N -o "%N %c %G" prints; - is stdin',
    },
    flux: { kind: 'text', value: 'FILE', about: 'what flux resource R prints; - is stdin' },
  },
  examples: [
    'edgewise cluster describe > nodes.json',
    'sinfo -h -N -o "%N %c %G" | edgewise cluster describe --sinfo - > nodes.json',
  ],
  async run({ flags, terminal }) {
    if (flags.sinfo !== undefined && flags.flux !== undefined) {
      throw usage('Either --sinfo or --flux.', 'Give one of them.');
    }
    let nodes: readonly ClusterNode[] = [
      { name: hostname(), cores: availableParallelism(), gpus: 0 },
    ];
    if (flags.sinfo !== undefined) nodes = nodesOfSinfo(await readSpecText(terminal, flags.sinfo));
    if (flags.flux !== undefined) nodes = nodesOfFlux(await readSpecFile(terminal, flags.flux));
    if (nodes.length === 0) throw usage('There is no node in it.', 'Look at what it printed.');
    const graph = graphOf(flags.name ?? hostname(), nodes);
    terminal.out(`${JSON.stringify(graph, null, 2)}\n`);
    return exitCode.ok;
  },
});
