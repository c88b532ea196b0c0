import { subsystemBytesMax } from '../../core/graph/limits.ts';
import { defineCommand } from '../command.ts';
import { edgePath } from '../edge/edge-view.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecFile } from '../input/spec-file.ts';
import type { Table } from '../output/table.ts';

type Subsystem = {
  readonly name: string;
  readonly vertices: number;
  readonly attachedTo: number;
  readonly types: Readonly<Record<string, number>>;
};

const table: Table<Subsystem> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'VERTICES', right: true, of: ({ vertices }) => String(vertices) },
    { title: 'ON', right: true, of: ({ attachedTo }) => String(attachedTo) },
    {
      title: 'TYPES',
      of: ({ types }) =>
        Object.entries(types)
          .map(([type, count]) => `${type}=${count}`)
          .join(' '),
    },
  ],
};

export const command = defineCommand({
  name: 'cluster subsystem',
  about: 'list, set or remove what a cluster has besides its nodes',
  args: [
    { name: 'list|set|remove', noun: 'text' },
    { name: 'NAME', noun: 'edge' },
    { name: 'SUBSYSTEM', noun: 'text', optional: true },
    { name: 'FILE', noun: 'file', optional: true },
  ],
  flags: {},
  examples: [
    'edgewise cluster subsystem list keebler',
    'edgewise cluster subsystem set keebler io io-subsystem.json',
    'edgewise cluster subsystem remove keebler io',
  ],
  async run({ args, api, output, terminal }) {
    const [action, name, subsystem, file] = args;
    const path = edgePath(name!, `/subsystems${subsystem === undefined ? '' : `/${subsystem}`}`);
    if (action === 'list') {
      const page = await api().get<{ items: readonly Subsystem[] }>(path);
      output.list(page, page.items, table);
      return exitCode.ok;
    }
    if (subsystem === undefined) throw usage('SUBSYSTEM is missing.', 'Give its name, such as io.');
    if (action === 'remove') {
      await api().ask('DELETE', path);
      output.single({ name: subsystem }, subsystem, () => `${subsystem} removed\n`);
      return exitCode.ok;
    }
    if (action !== 'set') throw usage(`There is no "${action}" here.`, 'list, set or remove');
    if (file === undefined) throw usage('FILE is missing.', 'Give its graph, JSON or YAML.');
    const body = await readSpecFile(terminal, file, subsystemBytesMax);
    const answer = await api().ask<Subsystem>('PUT', path, { body, packed: true });
    const { vertices, attachedTo } = answer.body;
    output.single(
      answer.body,
      subsystem,
      () => `${subsystem}: ${vertices} vertices, attached to ${attachedTo} of the cluster\n`,
    );
    return exitCode.ok;
  },
});
