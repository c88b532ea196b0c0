import type { Command } from '../command.ts';
import { command as jobLogs } from '../job/read-logs.ts';

const { shortcut: _logs, ...logs } = jobLogs;

/** `job logs` for those who look for the noun. */
export const command: Command = {
  ...logs,
  name: 'chunk logs',
  about: 'print the kept output of chunks; the same as logs',
  examples: ['edgewise chunk logs last 3', 'edgewise chunk logs last 0-9'],
};
