import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCode } from '../../../cli/exit-code.ts';
import { outputMsMax } from '../../../cli/limits.ts';
import { run } from '../../../cli/run.ts';
import { type JobId, jobIdOf } from '../../../core/model/names.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../api/served-fleet.ts';
import { type Script, scriptedTerminal } from '../scripted-terminal.ts';

let api: ServedFleet;
beforeEach(async () => {
  api = await startServedFleet();
});
afterEach(() => api.close());

async function logs(words: string[], interactive = false) {
  const terminal = terminalOf({ interactive });
  expect(await run(['logs', ...words], terminal)).toBe(0);
  return terminal.bytes();
}

function terminalOf(more: Partial<Script>) {
  const env = { EDGEWISE_API: api.url, EDGEWISE_TOKEN: adminSecret };
  return scriptedTerminal({ directory: '/', env, startMs: api.nowMs(), ...more });
}

test('the output of one chunk is written byte for byte', async () => {
  const { json } = await api.api.request('GET', '/v1/jobs?state=failed');
  const [broken] = json.items;
  const printed = Buffer.from(Array.from({ length: 256 }, (_, at) => 255 - at));
  await api.api.services.outputs.put(jobIdOf(broken.id), 1, 3, printed);
  expect(await logs([broken.id, '1'])).toEqual(printed);
});

test('on a terminal nothing of it is obeyed but its colours', async () => {
  const { json } = await api.api.request('GET', '/v1/jobs?state=failed');
  const [broken] = json.items;
  const printed = Buffer.from('\u001b[31mred\u001b]0;title\u0007');
  await api.api.services.outputs.put(jobIdOf(broken.id), 1, 3, printed);
  const shown = '\u001b[31mred␛]0;title^G\u001b[0m\n';
  expect((await logs([broken.id, '1'], true)).toString()).toBe(shown);
});

/** A job of one chunk that has ended and printed something that is not there yet. */
async function endedJob(keepOutput: 'all' | 'none', name = 'late') {
  const id = await api.submit({ name, chunks: 1, keepOutput });
  for (let turns = 0; turns < 40; turns++) {
    const { json } = await api.api.request('GET', `/v1/jobs/${id}`, { token: adminSecret });
    if (json.status.state === 'done') return id;
    await api.pass(500);
  }
  throw new Error('the job does not end');
}

async function arrives(id: JobId, text: string) {
  const key = await api.api.services.outputs.put(id, 0, 1, Buffer.from(text));
  await api.api.stores.jobs.keepOutput(id, 0, { key, bytes: text.length, totalBytes: text.length });
}

test.each([
  [['late', '0'], 'it is here\n'],
  [['-f', 'late'], 'it is here\n'],
  [['--all', 'late'], 'it is here\n'],
])(
  'an output that comes after the end of its chunk is waited for: logs %s',
  async (words, text) => {
    const id = await endedJob('all');
    let slept = 0;
    const pass = async () => {
      slept += 1;
      if (slept === 3) await arrives(id, text);
    };
    const terminal = terminalOf({ pass });
    expect(await run(['logs', ...words], terminal)).toBe(0);
    expect(terminal.data()).toBe(text);
  },
);

test('what is not kept, or never comes, is not waited for beyond its time', async () => {
  await endedJob('none');
  const none = terminalOf({});
  const beganMs = none.nowMs();
  expect(await run(['logs', 'late', '0'], none)).toBe(exitCode.notFound);
  expect(none.nowMs()).toBe(beganMs);
  const silentId = await endedJob('all', 'silent');
  const silent = terminalOf({});
  const askedAtMs = silent.nowMs();
  expect(await run(['logs', silentId, '0'], silent)).toBe(exitCode.notFound);
  const waitedMs = silent.nowMs() - askedAtMs;
  expect(waitedMs).toBeGreaterThan(0);
  expect(waitedMs).toBeLessThanOrEqual(outputMsMax);
  const later = terminalOf({ startMs: askedAtMs + outputMsMax });
  expect(await run(['logs', silentId, '0'], later)).toBe(exitCode.notFound);
  expect(later.nowMs()).toBe(askedAtMs + outputMsMax);
});

test('that standard error is apart is said, and it is read by itself', async () => {
  const id = await endedJob('all', 'apart');
  await arrives(id, 'out\n');
  const key = await api.api.services.outputs.put(id, 0, 1, Buffer.from('error\n'), 'stderr');
  await api.api.stores.jobs.keepOutput(id, 0, { key, bytes: 6 }, 'stderr');
  const terminal = terminalOf({});
  expect(await run(['logs', 'apart', '0'], terminal)).toBe(0);
  expect(terminal.data()).toBe('out\n');
  expect(terminal.talk()).toContain(`edgewise logs --stderr ${id}`);
  expect((await logs(['apart', '0', '--stderr'])).toString()).toBe('error\n');
  expect(await run(['logs', 'apart', '0', '--stderr', '-f'], terminalOf({}))).toBe(exitCode.usage);
});
