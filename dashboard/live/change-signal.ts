/**
 * Whether somebody notes that figures changed, as one fact for the whole page.
 *
 * `asking`: nobody does, so feeds ask again and again. `moving`: somebody does, and there is work
 * under way of which not every step is in a figure. `quiet`: somebody does, and nothing goes on.
 */
export type ChangePace = 'asking' | 'moving' | 'quiet';

let pace: ChangePace = 'asking';
const listeners = new Set<() => void>();

export function changePace(): ChangePace {
  return pace;
}

/** Something is other than it was, or nobody knows: who shows it should look. */
export function noteChange(next: ChangePace): void {
  pace = next;
  for (const listener of [...listeners]) listener();
}

export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
