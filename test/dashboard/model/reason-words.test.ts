import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chunksFailed, dependencyFailed } from '../../../core/model/job-status.ts';
import { killedItsEdges } from '../../../core/scheduler/leases/chunk-ends.ts';
import { chunkEndWords, jobEndWords } from '../../../dashboard/model/reason-words.ts';

describe('why something ended, in words', () => {
  const codes = [chunksFailed, dependencyFailed, 'max-failed-chunks', 'deadline', 'cancelled'];
  test.each(codes)('%s of a job is a sentence', (code) => {
    expect(jobEndWords(code)).toMatch(/^[A-Z].*\.$/);
  });

  test('every reason that the timeline has words for has them here', () => {
    const source = readFileSync(new URL('../../../core/jobs/rollup.ts', import.meta.url), 'utf8');
    const [, table = ''] = /reasonWords: [^=]+= \{([^}]+)\}/.exec(source) ?? [];
    const named = [...table.matchAll(/^ {2}'?([\w-]+)'?:/gm)].map(([, code]) => code!);
    expect(named.length).toBeGreaterThan(3);
    for (const code of named) expect(jobEndWords(code)).not.toBe(code);
  });

  test.each([
    [null, null, 'failed'],
    [null, 3, 'exit code 3'],
    [killedItsEdges, null, 'lost its edge three times'],
    ['timeout', null, 'ran longer than it may'],
    ['signal SIGKILL', null, 'killed, for example because memory ran out (SIGKILL)'],
    ['signal SIGUSR1', null, 'ended by a signal (SIGUSR1)'],
    ['start-failed: no such file', null, 'could not be started: no such file'],
    ['constructor', null, 'constructor'],
  ])('%s with exit code %s: %s', (reason, exitCode, words) => {
    expect(chunkEndWords(reason, exitCode)).toBe(words);
  });
});
