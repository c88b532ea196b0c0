import type { Command } from '../command.ts';
import { command as jobLogs } from '../job/read-logs.ts';

const { shortcut: _logs, args: _args, ...logs } = jobLogs;

/** `job logs` of instances: a number is that of an instance. */
export const command: Command = {
  ...logs,
  name: 'service logs',
  about: 'print what instances have printed, or one of them; -f follows',
  args: [
    { name: 'SERVICE', noun: 'job' },
    { name: 'INSTANCE', noun: 'text', optional: true },
  ],
  examples: ['edgewise service logs last 0', 'edgewise service logs -f last 0'],
};
