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
  /** Ctrl-C while it waited, as shells number it. What was asked for goes on. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

export const exitMeaning: Readonly<Record<keyof typeof exitCode, string>> = {
  ok: 'it is done',
  failure: 'something failed, on either side',
  usage: 'the command is not understood, or the request is not valid',
  notFound: 'there is no such thing',
  notAuthorised: 'no valid token, or one that may not do this',
  conflict: 'it is there already, was changed meanwhile, or is in use',
  timedOut: 'the wait was over first; the work goes on',
  jobFailed: 'the job failed or was cancelled',
  notPlaced: 'it is accepted, but nothing can run it now',
  interrupted: 'Ctrl-C while it waited; the work goes on',
};
