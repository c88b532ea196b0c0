import type { Command } from '../command.ts';
import { command as jobChunks } from '../job/list-chunks.ts';

/** `job chunks` for those who look for the noun. */
export const command: Command = {
  ...jobChunks,
  name: 'chunk list',
  about: 'list the chunks of a job; the same as job chunks',
  args: [
    { name: 'JOB', noun: 'job' },
    { name: 'CHUNKS', noun: 'text', optional: true },
  ],
  examples: [
    'edgewise chunk list last --state dead',
    'edgewise chunk list last 0-9,12',
    'edgewise chunk list last --param lr=0.1',
  ],
};
