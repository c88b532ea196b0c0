import { expect, test } from 'vitest';
import { isTaskList, jobsOfTasks } from '../../../../cli/job/input/task-list.ts';

test('a list of commands is one job of each, with its parameters as they were written', () => {
  const file = {
    tasks: [{ cmd: 'sleep', params: ['30'] }, { cmd: 'nice', params: [19] }, { cmd: 'ls' }],
  };
  expect(isTaskList(file)).toBe(true);
  expect(jobsOfTasks(file)).toEqual([
    { run: { process: { argv: ['sleep', '30'] } } },
    { run: { process: { argv: ['nice', '19'] } } },
    { run: { process: { argv: ['ls'] } } },
  ]);
});

test('a jobspec, and a job, are no lists of commands', () => {
  expect(isTaskList({ version: 1, tasks: [] })).toBe(false);
  expect(isTaskList({ chunks: 2 })).toBe(false);
  expect(isTaskList({ tasks: 'sleep' })).toBe(false);
});

test.each([
  ['none', [], 'The list of tasks is empty.'],
  ['no command', [{ cmd: 'ls' }, { params: [] }], 'The task at /tasks/1 is no command.'],
  ['nothing', [null], 'The task at /tasks/0 is no command.'],
  ['more', [{ cmd: 'ls', cwd: '/' }], 'There is no field "cwd" in a task (/tasks/0).'],
  ['no text', [{ cmd: 'ls', params: [{}] }], 'The parameter at /tasks/0/params/0 is neither'],
])('refused as a whole: %s', (_, tasks, sentence) => {
  expect(() => jobsOfTasks({ tasks })).toThrow(sentence);
});
