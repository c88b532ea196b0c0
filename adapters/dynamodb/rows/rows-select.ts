import type { Select } from '../../../core/contract/jobspec/envelope.ts';
import { isAmount, isText, listOf, optional, recordOf, type Shape, tableOf } from './shapes.ts';

const algorithms = [
  'freest',
  'random',
  'first',
  'constraint',
] as const satisfies readonly Select['algorithm'][];

/** How a cluster is chosen, as it was checked before it was stored. */
export const isSelect: Shape = recordOf({
  algorithm: (value) => (algorithms as readonly unknown[]).includes(value),
  priorities: optional(listOf(recordOf({ priority: isAmount, steps: listOf(tableOf(isText)) }))),
});
