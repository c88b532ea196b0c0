import { isTimeId, type JobId, jobIdOf, timeDigitsOf } from '../../../core/model/names.ts';

/**
 * Where a job lies in the lists: in the order of creation. An id that a user chose is put behind
 * its time.
 */
export function positionOf(id: JobId, createdAtMs: number): string {
  return isTimeId(id) ? id : `${timeDigitsOf(createdAtMs)}-${id}`;
}

const chosenPosition = /^[0-9a-z]{9}-(.+)$/;

export function jobOfPosition(position: string): JobId {
  return jobIdOf(chosenPosition.exec(position)?.[1] ?? position);
}
