import type { Command } from '../command.ts';
import { command as jobChunks } from '../job/list-chunks.ts';

export const command: Command = {
  ...jobChunks,
  name: 'chunk get',
  about: 'show one chunk of a job, or list those that are named',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNKS', noun: 'text' },
  ],
  examples: ['edgewise chunk get last 3', 'edgewise chunk get last 0-9,12'],
};
