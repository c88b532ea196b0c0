import { ProblemError } from '../../../core/contract/problem.ts';
import type { LogPosition } from '../../../core/ports/fleet-log.ts';

/** Where a reader of the fleet's log is, as text: `1767225600000.3`. */
export function cursorOf({ batch, events }: LogPosition): string {
  return `${batch}.${events}`;
}

/** `null`: from the oldest that is kept. */
export function readAfter(text: string | undefined): LogPosition | 'now' | null {
  if (text === undefined) return null;
  if (text === 'now') return 'now';
  const found = /^(\d{1,15})\.(\d{1,4})$/.exec(text);
  if (found === null) throw new ProblemError('invalid-cursor');
  return { batch: Number(found[1]), events: Number(found[2]) };
}
