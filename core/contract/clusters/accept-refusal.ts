/**
 * Why an edge does not get what it wants to take, or does not get rid of it. `not-offered` is said
 * of another's work and of what does not exist alike.
 */
export const acceptRefusals = [
  'taken',
  'already-accepted',
  'not-offered',
  'ended',
  'held',
] as const;

export type AcceptRefusal = (typeof acceptRefusals)[number];

export const releaseRefusals = ['not-held', 'running'] as const;
export type ReleaseRefusal = (typeof releaseRefusals)[number];
