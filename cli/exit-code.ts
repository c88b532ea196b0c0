/**
 * What a script learns from how a command ended. Part of the outside contract: a number never
 * changes its meaning.
 */
export const exitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  notAuthorised: 4,
  conflict: 5,
  timedOut: 6,
  jobFailed: 7,
  notPlaced: 8,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
