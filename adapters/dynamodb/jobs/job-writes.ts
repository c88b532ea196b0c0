import { isFinal, jobStates } from '../../../core/model/job.ts';
import type { JobStatus } from '../../../core/model/job-status.ts';
import type { CellId, JobId } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { intentKey, specKey, statusKey } from '../keys.ts';
import { passMark } from '../schema.ts';
import type { Condition, Write } from '../table.ts';

/** The writes that changes of a job are made of, each with the condition that makes it safe. */

export const absent: Condition = { expression: 'attribute_not_exists(#pk)' };

const openStates = jobStates.filter((state) => !isFinal(state));

/** Of a status: the job has not ended. */
export const openJob: Condition = {
  expression: `#state IN (${openStates.map((state) => `:${state}`).join(', ')})`,
  values: Object.fromEntries(openStates.map((state) => [state, state])),
};

/** Of two changes that saw the same version, the second finds another one. */
export function specWrite(
  change: { readonly id: JobId; readonly seenVersion: number },
  set: Partial<Record<keyof StoredJob | 'cut', unknown>>,
  remove: readonly (keyof StoredJob)[] = [],
): Write {
  return {
    kind: 'update',
    key: specKey(change.id),
    change: { set: { ...set, version: change.seenVersion + 1 }, remove },
    condition: { expression: '#version = :seen', values: { seen: change.seenVersion } },
  };
}

/** A fold that has not seen this loses its save: the version moves. */
export function statusWrite(
  id: JobId,
  set: Partial<Record<keyof JobStatus | 'byCell' | 'cut', unknown>>,
  condition?: Condition,
): Write {
  const change = { set, add: { version: 1 } };
  const when = condition === undefined ? {} : { condition };
  return { kind: 'update', key: statusKey(id), change, ...when };
}

/** A cell that has ended the job in the meantime gets no new intent: the whole change fails. */
export function intentWrite(cell: CellId, id: JobId, set: Record<string, unknown>): Write {
  const condition = { expression: 'attribute_exists(#pk)' };
  const change = { set, remove: [passMark] };
  return { kind: 'update', key: intentKey(cell, id), change, condition };
}
