/**
 * Why a chunk waits, the reason that rules out most first. The list is closed, so that whoever puts
 * the reasons into words has one for each; only amounts that users name themselves are open:
 * `no-free-gpus`.
 */
export const waitingReasons = [
  'inconsistent',
  'dependency',
  'quota',
  'queue-order',
  'max-edges',
  'gang-incomplete',
  'backoff',
  'awaits-accept',
  'no-edges',
  'no-free-power',
  'shadow-full',
  'edge-disconnected',
  'edge-cordoned',
  'edge-refused',
  'chunk-larger-than-any-edge',
  'expression-does-not-match',
  'labels-do-not-match',
] as const;

export type NamedWaitingReason = (typeof waitingReasons)[number];
export type WaitingReason = NamedWaitingReason | `no-free-${string}`;

export function isNamedReason(reason: WaitingReason): reason is NamedWaitingReason {
  return (waitingReasons as readonly string[]).includes(reason);
}
