import { expect, test } from 'vitest';
import type { Api } from '../../../cli/client/api.ts';
import { exitCode } from '../../../cli/exit-code.ts';
import { Failure } from '../../../cli/failure.ts';
import { awaitJob, readWait, waitFor } from '../../../cli/job/job-ending.ts';
import { unreachableMsMax } from '../../../cli/limits.ts';
import type { Job } from '../../../core/contract/resources.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

const chunks = { total: 1, pending: 0, scheduled: 0, running: 1, done: 0, dead: 0, cancelled: 0 };
const jobIn = (state: string) =>
  ({ id: 'j', status: { state, percent: 0, chunks, reason: null, waiting: [] } }) as unknown as Job;
const away = (): never => {
  throw new Failure(exitCode.failure, 'Nothing listens.');
};

/** An API that answers one step after the other, the last one again and again. */
function scripted(...steps: (() => Job)[]): Api {
  let at = 0;
  const get = async () => steps[Math.min(at++, steps.length - 1)]!();
  return { url: '', get, ask: get, text: get } as unknown as Api;
}

const running = () => jobIn('running');
const done = () => jobIn('done');

test('a wait outlives an API that is away, and says so once', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  const api = scripted(running, away, away, away, running, done);
  const ending = await awaitJob(api, terminal, 'j', waitFor('done', undefined));
  expect(ending.code).toBe(exitCode.ok);
  expect(terminal.talk()).toBe(
    'Nothing listens. Still asking; the job goes on.\nIt answers again.\n',
  );
});

test('a wait ends when the API stays away', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  const startMs = terminal.nowMs();
  const waiting = awaitJob(scripted(running, away), terminal, 'j', waitFor('done', undefined));
  await expect(waiting).rejects.toMatchObject({ code: exitCode.failure });
  expect(terminal.nowMs() - startMs).toBeGreaterThanOrEqual(unreachableMsMax);
});

test('the limit counts while the API is away', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  const waiting = awaitJob(scripted(running, away), terminal, 'j', waitFor('done', '5s'));
  await expect(waiting).rejects.toMatchObject({
    code: exitCode.timedOut,
    message: 'Job j is not known to have ended after 5s.',
  });
});

test('Ctrl-C ends the wait and not the job, also while the API is asked', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  const cutOff = (): never => {
    terminal.interrupt();
    throw new Failure(exitCode.interrupted, 'Interrupted.');
  };
  const waiting = awaitJob(scripted(running, cutOff), terminal, 'j', waitFor('done', undefined));
  await expect(waiting).rejects.toMatchObject({
    code: exitCode.interrupted,
    message: 'Stopped waiting; job j goes on.',
  });
});

test('a refusal ends a wait at once', async () => {
  const terminal = scriptedTerminal({ directory: '/' });
  const refuse = (): never => {
    throw new Failure(exitCode.notAuthorised, 'No.');
  };
  const waiting = awaitJob(scripted(running, refuse), terminal, 'j', waitFor('done', undefined));
  await expect(waiting).rejects.toThrow('No.');
});

test('the flags are read before anything is done', () => {
  expect(readWait({ wait: undefined, timeout: undefined })).toBeNull();
  expect(readWait({ wait: '', timeout: '2m' })).toMatchObject({ goal: 'done', limitMs: 120_000 });
  expect(readWait({ wait: 'placed', timeout: undefined })).toMatchObject({ goal: 'placed' });
  expect(() => readWait({ wait: '', timeout: 'soon' })).toThrow('not a duration');
  expect(() => readWait({ wait: undefined, timeout: '1s' })).toThrow('--wait');
});
