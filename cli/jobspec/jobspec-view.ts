import type {
  SatisfyAnswer,
  SubmissionAnswer,
} from '../../core/contract/jobspec/jobspec-answer.ts';
import type { Page } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { formatAge, secondsSince } from '../input/duration.ts';
import { formatFields, formatTable, type Table } from '../output/table.ts';

/** How a submitted jobspec is shown: one line in a list, a page of its own. */
export type Listed = Omit<SubmissionAnswer, 'text' | 'jobspec' | 'selection'>;

type Task = SubmissionAnswer['jobs'][number];
type ClusterMatch = SatisfyAnswer['clusters'][number];

export function jobspecPath(id: string, rest = ''): string {
  return `/v1/jobspecs/${encodeURIComponent(id)}${rest}`;
}

/** `last` is the newest one of the pool "default"; anything else is an id. */
export async function findJobspecId(api: Api, reference: string): Promise<string> {
  if (reference !== 'last') return reference;
  const { items }: Page<Listed> = await api.get('/v1/jobspecs', { limit: 1 });
  const [newest] = items;
  if (newest !== undefined) return newest.id;
  const remedy = 'Submit one: edgewise jobspec submit jobspec.yaml';
  throw new Failure(exitCode.notFound, 'There is no jobspec yet.', remedy);
}

export function jobspecTable(nowMs: number): Table<Listed> {
  return {
    name: ({ id }) => id,
    columns: [
      { title: 'ID', of: ({ id }) => id },
      { title: 'NAME', of: ({ name }) => name ?? '-' },
      { title: 'STATE', of: ({ status }) => status.state, state: true },
      { title: '%', of: ({ status }) => status.percent, right: true },
      { title: 'TASKS', of: tasksText, right: true },
      { title: 'CLUSTER', of: ({ cluster }) => cluster ?? '-' },
      {
        title: 'AGE',
        of: ({ createdAt }) => formatAge(createdAt, nowMs),
        by: ({ createdAt }) => secondsSince(createdAt, nowMs),
        right: true,
      },
      { title: 'POOL', of: ({ pool }) => pool, wide: true },
      { title: 'QUEUE', of: ({ queue }) => queue, wide: true },
      { title: 'BY', of: ({ createdBy }) => createdBy, wide: true },
    ],
  };
}

function tasksText({ status: { tasks } }: Listed): string {
  return `${tasks.done}/${tasks.total}`;
}

const taskTable: Table<Task> = {
  name: ({ task }) => task,
  columns: [
    { title: 'TASK', of: ({ task, group }) => (group === null ? task : `${group}/${task}`) },
    { title: 'STATE', of: ({ state }) => state, state: true },
    { title: 'JOB', of: ({ job }) => job },
    { title: 'AFTER', of: ({ dependsOn }) => dependsOn.join(', ') || '-' },
  ],
};

export function describeJobspec(found: Listed, colour: boolean, wide = false): string {
  const { id, name, pool, cluster, status } = found;
  const fields = formatFields([
    ['jobspec', name === null ? id : `${id} (${name})`],
    ['pool', pool],
    ['cluster', cluster ?? 'not chosen: it waits for one that has what it asks for'],
    ['state', `${status.state}, ${tasksText(found)} tasks done`],
    ['reason', status.reason],
  ]);
  return `${fields}\n${formatTable(found.jobs, taskTable, { wide, colour })}`;
}

export const matchTable: Table<ClusterMatch> = {
  name: ({ name }) => name,
  columns: [
    { title: 'CLUSTER', of: ({ name }) => name },
    { title: 'MATCHES', of: ({ matches }) => (matches ? 'yes' : 'no') },
    { title: 'TIMES', of: ({ slots }) => slots ?? '-', right: true },
    { title: 'FREE', of: ({ free }) => (free === undefined ? '-' : free ? 'yes' : 'no') },
    { title: 'WHY NOT', of: ({ reason, detail }) => (reason ? `${reason}: ${detail}` : '') },
    { title: 'AT', of: ({ at }) => at ?? '', wide: true },
  ],
};
