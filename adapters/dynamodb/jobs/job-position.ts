import { isTimeId, type JobId, jobIdOf, timeDigitsOf } from '../../../core/model/names.ts';

/**
 * Where a job lies in the lists: in the order of creation. An id that a user chose is put behind
 * its time.
 */
export function positionOf(id: JobId, createdAtMs: number): string {
  return isTimeId(id) ? id : positionAt(id, createdAtMs);
}

/** By another time than that of its creation. */
export function positionAt(id: JobId, atMs: number): string {
  return `${timeDigitsOf(atMs)}-${id}`;
}

/** When the job was submitted; 0 for a name without a time, as earlier versions stored some. */
export function timeOfPosition(position: string): number {
  return timedPosition.test(position) ? Number.parseInt(position.slice(0, 9), 36) : 0;
}

const timedPosition = /^[0-9a-z]{9}([0-9a-z]{9}$|-)/;
const chosenPosition = /^[0-9a-z]{9}-(.+)$/;

export function jobOfPosition(position: string): JobId {
  return jobIdOf(chosenPosition.exec(position)?.[1] ?? position);
}
