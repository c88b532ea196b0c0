/**
 * Why jobs and chunks ended, in words. What is no code of ours is the program's or the host's own
 * sentence, and is shown as it is. Pure.
 */
const jobEnds = new Map([
  ['cancelled', 'Somebody cancelled it.'],
  ['deadline', 'Its deadline has passed.'],
  ['chunks-failed', 'Chunks have used up their attempts.'],
  ['max-failed-chunks', 'More chunks failed than it allows; the rest was not started.'],
  ['dependency-failed', 'A job that it waited for did not end well.'],
]);

const chunkEnds = new Map([
  ['killed-its-edges', 'lost its edge three times'],
  ['timeout', 'ran longer than it may'],
  ['lost', 'lost: nobody saw how it ended'],
]);

const startFailed = /^start-failed: (.+)$/s;
const signal = /^signal (\w+)$/;
const signals = new Map([
  ['SIGKILL', 'killed, for example because memory ran out'],
  ['SIGSEGV', 'crashed: it used memory that is not its own'],
  ['SIGABRT', 'gave up by itself'],
  ['SIGTERM', 'was asked to stop'],
  ['SIGXFSZ', 'wrote more than its job asked for'],
]);

export function jobEndWords(reason: string): string {
  return jobEnds.get(reason) ?? chunkEndWords(reason, null);
}

/** Of a chunk: its reason, or what its exit code says. */
export function chunkEndWords(reason: string | null, exitCode: number | null): string {
  if (reason === null) return exitCode === null ? 'failed' : `exit code ${exitCode}`;
  const [, why] = startFailed.exec(reason) ?? [];
  if (why !== undefined) return `could not be started: ${why}`;
  const [, name] = signal.exec(reason) ?? [];
  if (name !== undefined) return `${signals.get(name) ?? 'ended by a signal'} (${name})`;
  return chunkEnds.get(reason) ?? reason;
}
