import { usage } from '../../failure.ts';
import type { JobBody } from './job-flags.ts';

/** A list of commands, as other schedulers have them: `tasks: [{cmd: sleep, params: ["30"]}]`. */
export function isTaskList(file: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(file.tasks) && Object.keys(file).length === 1;
}

/** A job of each command, in their order; nothing where one of them cannot be meant. */
export function jobsOfTasks(file: Readonly<Record<string, unknown>>): readonly JobBody[] {
  const tasks = file.tasks as readonly unknown[];
  if (tasks.length === 0) throw usage('The list of tasks is empty.', null);
  return tasks.map((task, at) => ({ run: { process: { argv: argvOf(task, `/tasks/${at}`) } } }));
}

function argvOf(task: unknown, at: string): readonly string[] {
  const { cmd, params = [], ...more } = (task ?? {}) as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) {
    throw usage(`There is no field "${unknown}" in a task (${at}).`, 'It has "cmd" and "params".');
  }
  if (typeof cmd !== 'string' || cmd === '' || !Array.isArray(params)) {
    throw usage(`The task at ${at} is no command.`, 'Write {cmd: sleep, params: ["30"]}.');
  }
  return [cmd, ...params.map((it, place) => wordOf(it, `${at}/params/${place}`))];
}

/** YAML reads a bare 30 as a number, and a program gets it as it was written. */
function wordOf(value: unknown, at: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw usage(`The parameter at ${at} is neither a text nor a number.`, null);
}
