import { tasksOf } from '../../core/contract/jobspec/plan.ts';
import type { FieldError } from '../../core/contract/validation.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import type { Table } from '../output/table.ts';
import { readOffline } from './read-offline.ts';

const mistakeTable: Table<FieldError> = {
  name: ({ pointer }) => pointer,
  columns: [
    { title: 'AT', of: ({ pointer }) => pointer || '/' },
    { title: 'MISTAKE', of: ({ message }) => message },
  ],
};

export const command = defineCommand({
  name: 'jobspec check',
  about: 'say what is wrong with a jobspec, each with its place; asks nobody',
  args: [{ name: 'FILE', noun: 'file' }],
  flags: {},
  examples: ['edgewise jobspec check jobspec.yaml'],
  async run({ args, output, terminal }) {
    const [file = ''] = args;
    const read = await readOffline(terminal, file);
    if (!read.ok) {
      output.list({ valid: false, errors: read.errors }, read.errors, mistakeTable);
      return exitCode.usage;
    }
    const { name, units } = read.plan;
    const tasks = tasksOf(units).length;
    const jobs = units.length;
    const words = `${counted(tasks, 'task')} in ${counted(jobs, 'job')}`;
    output.single({ valid: true, name, tasks, jobs }, file, () => `${file} is valid: ${words}\n`);
    return exitCode.ok;
  },
});

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
