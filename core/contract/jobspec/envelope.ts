import * as z from 'zod';
import { selectionLengthMax } from '../../selection/limits.ts';
import { prioritiesSchema, readPriorities } from '../../selection/priorities.ts';
import type { Algorithm } from '../../selection/select-cluster.ts';
import { labelsSchema, nameSchema, nonEmptyText, whole } from '../text-schema.ts';
import type { FieldError } from '../validation.ts';
import { wordsOf } from './command.ts';
import { jobspecClustersMax, jobspecLabelsMax } from './limits.ts';
import { stagedSchema } from './stages.ts';

/**
 * A jobspec with what is wanted of it: where it may go, how one of the clusters that match is
 * chosen, and what happens when none does. A bare jobspec is one with nothing said.
 */
export const selectSchema = z
  .strictObject({
    algorithm: z.enum(['freest', 'random', 'first', 'constraint']).default('freest'),
    priorities: prioritiesSchema.optional(),
  })
  .superRefine(({ algorithm, priorities }, context) => {
    const isConstraint = algorithm === 'constraint';
    const refuse = (message: string) =>
      context.addIssue({ code: 'custom', path: ['priorities'], message });
    if (isConstraint && priorities === undefined) {
      refuse('A selection by constraint needs priorities.');
    } else if (!isConstraint && priorities !== undefined) {
      refuse(`Only "constraint" has priorities; "${algorithm}" has none.`);
    } else if (JSON.stringify(priorities ?? []).length > selectionLengthMax) {
      refuse(`Priorities have at most ${selectionLengthMax} characters in all.`);
    }
  })
  .meta({ id: 'Select', description: 'How one of the clusters that match is chosen.' });

export type Select = z.output<typeof selectSchema>;

/** What counts as a match, and what happens without one. */
export const matchSchema = z
  .strictObject({
    unsatisfied: z.enum(['refuse', 'wait']).optional(),
    together: z.enum(['host', 'pool']).optional(),
    fallback: z.enum(['missing', 'busy']).optional(),
  })
  .meta({ id: 'MatchSettings', description: 'What counts as a match, and what without one.' });

export type MatchSettings = z.output<typeof matchSchema>;

export const envelopeSchema = z.strictObject({
  jobspec: z.unknown(),
  clusters: z.array(nameSchema).min(1).max(jobspecClustersMax).optional(),
  satisfyOnly: z.boolean().default(false),
  ...matchSchema.shape,
  select: selectSchema.optional(),
  stages: stagedSchema.optional(),
  labels: labelsSchema(jobspecLabelsMax).optional(),
});

export type Envelope = z.output<typeof envelopeSchema>;

type ReadAlgorithm =
  | { readonly ok: true; readonly algorithm: Algorithm }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Expressions are parsed here, once; a mistake in one has its place below `select`. */
export function readAlgorithm({ algorithm, priorities }: Select): ReadAlgorithm {
  if (algorithm !== 'constraint') return { ok: true, algorithm: { name: algorithm } };
  const read = readPriorities(priorities ?? []);
  if (read.ok) return { ok: true, algorithm: { name: 'constraint', priorities: read.priorities } };
  const errors = read.errors.map((it) => ({ ...it, pointer: `/priorities${it.pointer}` }));
  return { ok: false, errors };
}

export const simpleSchema = z.strictObject({
  simple: z.strictObject({
    nodes: whole(1, 100_000),
    tasks: whole(0, 1_000_000).default(0),
    command: nonEmptyText(65_536),
  }),
});

export type Simple = z.output<typeof simpleSchema>['simple'];

/**
 * A command on so many nodes with so many tasks in all, written out: nodes and cores beside each
 * other are totals, wherever they lie. `null`: a quote is open.
 */
export function jobspecOfSimple({ nodes, tasks, command }: Simple): object | null {
  const words = wordsOf(command);
  if (words === null || words.length === 0) return null;
  const within = [
    { type: 'node', count: nodes },
    ...(tasks === 0 ? [] : [{ type: 'core', count: tasks }]),
  ];
  const name = words[0]!.split('/').at(-1)!.slice(0, 64) || 'task';
  return {
    version: 1,
    resources: { 'task-resources': { type: 'slot', replicas: 1, with: within } },
    tasks: [{ name, command: words, resources: 'task-resources' }],
  };
}
