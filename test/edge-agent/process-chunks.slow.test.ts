import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../core/model/names.ts';
import { processesWith } from '../../edge-agent/host/process-table.ts';
import { waitUntil } from '../wait-until.ts';
import { AgentStage } from './agent-stage.ts';

let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(async () => {
  delete process.env.EDGEWISE_LAUNCHER;
  await stage.stopAgents();
  expect(chunkProcesses()).toEqual([]);
  await stage.close();
});

function chunkProcesses(): number[] {
  return processesWith('MARKS', (value) => value === stage.path);
}

function shell(script: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const env = { MARKS: stage.path };
  const run = {
    process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds: null, ...more },
  };
  return { chunkPower: 1, run };
}

const place = (name: string): string => join(stage.path, 'edge-1', name);

async function runAll(chunks: number, spec: Record<string, unknown>, slots = 8) {
  controlPlane.addJob('job-a', { chunks, ...spec });
  stage.start();
  controlPlane.grant('edge-1', 'job-a', `0-${chunks - 1}`, slots);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.size + job.failed.size === chunks, 'all chunks ended');
  return job;
}

test('chunks of a part of another job see the numbers that they have there', async () => {
  const script = '[ $EDGEWISE_JOB = other ] && exit $((EDGEWISE_CHUNK + EDGEWISE_CHUNKS + $1))';
  const { run } = shell(script) as { run: { process: { argv: string[] } } };
  run.process.argv.push('sh', '{chunk}');
  const chunkOffsets = { numbers: '3-4,20', total: 100, job: 'other' };
  const job = await runAll(3, { chunkPower: 1, run, chunkOffsets });
  expect(Object.fromEntries(job.failed)).toEqual({ 0: 106, 1: 108, 2: 140 });
});

test('exit codes are reported as they are, and signals by name', async () => {
  const script = [
    'case $EDGEWISE_CHUNK in',
    '8) kill -9 $$ ;; 9) kill -TERM $$ ;; 10) kill -SEGV $$ ;;',
    '11) exit 137 ;; 12) exit 255 ;; *) exit $EDGEWISE_CHUNK ;; esac',
  ].join('\n');
  const job = await runAll(13, shell(script));
  expect([...job.done]).toEqual([0]);
  expect(Object.fromEntries(job.failed)).toEqual({
    1: 1,
    2: 2,
    3: 3,
    4: 4,
    5: 5,
    6: 6,
    7: 7,
    8: 'signal SIGKILL',
    9: 'signal SIGTERM',
    10: 'signal SIGSEGV',
    11: 137,
    12: 255,
  });
});

test('past its timeout a chunk is terminated, and killed when it does not listen', async () => {
  const script = "trap '' TERM; sleep 60 & wait; sleep 60";
  const job = await runAll(2, shell(script, { timeoutSeconds: 0.2 }));
  expect([...job.failed.values()]).toEqual(['timeout', 'timeout']);
});

test('what a chunk leaves behind is killed, also when it has left its group', async () => {
  const script = 'sleep 300 & setsid sleep 300 & exit 3';
  const job = await runAll(3, shell(script));
  expect([...job.failed.values()]).toEqual([3, 3, 3]);
  await waitUntil(() => chunkProcesses().length === 0);
});

test('a program or a directory that is not there is a failed start, in words', async () => {
  controlPlane.addJob('job-b', { chunks: 1, ...shell('exit 0', { cwd: '/nowhere' }) });
  controlPlane.addJob('job-c', {
    chunks: 1,
    ...shell('exit 0', { argv: ['/no/such/program'] }),
  });
  stage.start();
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  controlPlane.grant('edge-1', 'job-c', '0', 1);
  const [b, c] = [controlPlane.jobs.get('job-b')!, controlPlane.jobs.get('job-c')!];
  await controlPlane.until(() => b.failed.size + c.failed.size === 2, 'both failed');
  expect(b.failed.get(0)).toBe('start-failed: no directory /nowhere');
  expect(c.failed.get(0)).toBe('start-failed: no program /no/such/program');
});

test.each(['native', 'plain'])(
  'of a failed chunk beginning and end are kept, however much it printed (%s)',
  async (launcher) => {
    process.env.EDGEWISE_LAUNCHER = launcher;
    const script = 'echo begin; head -c 100000000 /dev/zero | tr "\\0" x; echo the end; exit 1';
    await runAll(1, shell(script));
    await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
    const output = controlPlane.outputs.get('job-a/0')!;
    expect(output).toHaveLength(64 * 1024);
    expect([output.slice(0, 9), output.slice(-11)]).toEqual(['begin\nxxx', 'xxxthe end\n']);
    expect(readdirSync(join(stage.path, 'edge-1', 'outputs'))).toEqual([]);
  },
);

test('keepOutput all keeps what a good chunk printed, both streams in order', async () => {
  const script =
    'echo one; echo two >&2; echo $EDGEWISE_JOB $EDGEWISE_CHUNK/$EDGEWISE_CHUNKS $EDGEWISE_EDGE';
  await runAll(1, { ...shell(script), keepOutput: 'all' });
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  expect(controlPlane.outputs.get('job-a/0')).toBe('one\ntwo\njob-a 0/1 edge-1\n');
});

test.each(['native', 'plain'])(
  'standard error apart is kept by itself, each with its own beginning and end (%s)',
  async (launcher) => {
    process.env.EDGEWISE_LAUNCHER = launcher;
    const long = 'head -c 3000000 /dev/zero | tr "\\0" x >&2';
    const script = `echo out; echo begin >&2; ${long}; echo end >&2; exit 3`;
    await runAll(1, { ...shell(script), stderr: 'apart' });
    await controlPlane.until(() => controlPlane.outputs.size === 2, 'both arrived');
    expect(controlPlane.outputs.get('job-a/0')).toBe('out\n');
    const errors = controlPlane.outputs.get('job-a/0/stderr')!;
    expect(errors).toHaveLength(64 * 1024);
    expect([errors.slice(0, 7), errors.slice(-6)]).toEqual(['begin\nx', 'xxend\n']);
  },
);

test.each(['native', 'plain'])(
  'an output is kept whole up to what its job says, and its ends beyond that (%s)',
  async (launcher) => {
    process.env.EDGEWISE_LAUNCHER = launcher;
    const long = 'head -c $((6000000 * (1 + 2 * EDGEWISE_CHUNK))) /dev/zero | tr "\\0" x';
    const script = `echo begin; ${long}; echo end; echo short >&2; exit 3`;
    await runAll(2, { ...shell(script), outputMb: 8, stderr: 'apart' });
    await controlPlane.until(() => controlPlane.wholeOutputs.size === 1, 'one is whole');
    await controlPlane.until(() => controlPlane.outputs.size === 4, 'the ends of both arrived');
    const whole = controlPlane.files.content(controlPlane.wholeOutputs.get('job-a/0')!)!;
    expect(whole).toHaveLength(6_000_010);
    expect([whole.subarray(0, 7), whole.subarray(-6)].map(String)).toEqual(['begin\nx', 'xxend\n']);
    for (const chunk of [0, 1]) {
      const ends = controlPlane.outputs.get(`job-a/${chunk}`)!;
      expect(ends).toHaveLength(64 * 1024);
      expect([ends.slice(0, 7), ends.slice(-6)]).toEqual(['begin\nx', 'xxend\n']);
    }
    const left = () => ['outputs', 'printed'].flatMap((name) => readdirSync(place(name)));
    await waitUntil(() => left().length === 0);
  },
);

test('what is to be kept whole is sent by the next life of a killed agent', async () => {
  const script = 'head -c 300000 /dev/zero | tr "\\0" x; exit 3';
  controlPlane.files.taking = 'gone';
  await runAll(1, { ...shell(script), outputMb: 1 });
  await waitUntil(() => readdirSync(place('outputs')).some((name) => name.endsWith('_whole')));
  await stage.stopAgents();
  expect(controlPlane.wholeOutputs.size).toBe(0);
  controlPlane.files.taking = 'well';
  stage.start();
  await controlPlane.until(() => controlPlane.wholeOutputs.size === 1, 'it is whole');
  await waitUntil(() => readdirSync(place('outputs')).length === 0);
});

test('of a good chunk whose output nobody keeps no file is left', async () => {
  await runAll(3, { ...shell('head -c 300000 /dev/zero'), outputMb: 1 });
  await waitUntil(() => readdirSync(place('printed')).length === 0);
  expect(controlPlane.outputs.size).toBe(0);
});

test('of a chunk that says nothing on one of two streams that is kept, too', async () => {
  await runAll(1, { ...shell('echo only here >&2'), keepOutput: 'all', stderr: 'apart' });
  await controlPlane.until(() => controlPlane.outputs.size === 2, 'both arrived');
  expect(Object.fromEntries(controlPlane.outputs)).toEqual({
    'job-a/0': '',
    'job-a/0/stderr': 'only here\n',
  });
});

test('a chunk that is taken away while it runs is stopped and not reported', async () => {
  controlPlane.addJob('job-a', { chunks: 1, ...shell('touch "$MARKS/started"; sleep 300') });
  stage.start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => existsSync(join(stage.path, 'started')));
  controlPlane.amend('edge-1', 'job-a', null);
  await waitUntil(() => chunkProcesses().length === 0);
  expect(controlPlane.jobs.get('job-a')!.failed.size).toBe(0);
});

test.each(['native', 'plain'])(
  'a cancelled chunk that does not listen uses its power until it is really gone (%s)',
  async (launcher) => {
    process.env.EDGEWISE_LAUNCHER = launcher;
    // With a child in another session that does not listen either.
    const trap = 'trap \'\' TERM INT HUP; touch "$MARKS/$EDGEWISE_CHUNK"';
    const script = `setsid sh -c '${trap.replaceAll("'", `'"'"'`)}; sleep 301; sleep 302' & ${trap}
    while :; do sleep 1; done`;
    controlPlane.addJob('job-a', {
      chunks: 1,
      ...shell(script),
      chunkPower: 200,
      lastChunkPower: 200,
    });
    const next = { ...shell('touch "$MARKS/next"'), chunkPower: 200, lastChunkPower: 200 };
    controlPlane.addJob('job-b', { chunks: 1, ...next });
    stage.start();
    controlPlane.grant('edge-1', 'job-a', '0', 1);
    await waitUntil(() => existsSync(join(stage.path, '0')) && chunkProcesses().length >= 4);
    controlPlane.amend('edge-1', 'job-a', null);
    controlPlane.grant('edge-1', 'job-b', '0', 1);
    const before = controlPlane.reports.length;
    const later = () =>
      controlPlane.reports.slice(before).filter(({ jobs }) => !jobs.has(jobIdOf('job-a')));
    await controlPlane.until(() => later().length > 0, 'it says that it stops');
    expect(chunkProcesses().length).toBeGreaterThan(0);
    expect(later()[0]!.freePower).toBe(50);
    expect(existsSync(join(stage.path, 'next'))).toBe(false);
    const doneWhileAlive = controlPlane.jobs.get('job-b')!.done.size;
    await controlPlane.until(
      () => controlPlane.jobs.get('job-b')!.done.size === 1,
      'the next one had its turn',
    );
    expect(doneWhileAlive).toBe(0);
    expect(chunkProcesses()).toEqual([]);
  },
);

test('kept output is what was printed: bytes that are no text, a text from a character on', async () => {
  const bytes = "head -c 100 /dev/zero; printf '\\377\\200\\303'; exit 1";
  // Three bytes each, so that 64 KB end within one; the last line makes its length odd.
  const text = 'for i in $(seq 30000); do printf "€"; done; echo x; exit 1';
  controlPlane.addJob('job-b', { chunks: 1, ...shell(bytes) });
  await runAll(1, shell(text));
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  await controlPlane.until(() => controlPlane.outputBytes.size === 2, 'the outputs arrived');
  const expected = [...new Uint8Array(100), 0xff, 0x80, 0xc3];
  expect([...controlPlane.outputBytes.get('job-b/0')!]).toEqual(expected);
  const kept = controlPlane.outputs.get('job-a/0')!;
  expect(kept).toMatch(/^€+x\n$/);
  expect(controlPlane.outputBytes.get('job-a/0')!.length).toBeGreaterThan(64 * 1024 - 4);
});

test('a launcher that was killed is replaced, now and after a restart; its chunks run again', async () => {
  const chunks = 4;
  controlPlane.addJob('job-a', { chunks, ...shell('[ $EDGEWISE_CHUNK = 0 ] || sleep 300') });
  const first = stage.start();
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.has(0), 'the first is done');
  const [before] = await launcherOf(2);
  await waitUntil(() => chunkProcesses().length > 0);
  process.kill(before!, 'SIGKILL');
  await waitUntil(() => first.lines.some((line) => line.startsWith('The launcher is gone')));
  const [after] = await launcherOf(2);
  expect(after).not.toBe(before);
  await first.stop();
  // As a power failure leaves it: a socket that nobody listens to.
  leaveSocket(join(stage.path, 'edge-1', 'launcher.sock'));
  controlPlane.amend('edge-1', 'job-a', null);
  controlPlane.addJob('job-b', { chunks: 2, ...shell('exit 0') });
  stage.start();
  controlPlane.grant('edge-1', 'job-b', '0-1', 2);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-b')!.done.size === 2,
    'the next job is done',
  );
});

test('a chunk sees no credential of the agent', async () => {
  process.env.EDGEWISE_ENROL_TOKEN = 'very-secret';
  try {
    await runAll(1, { ...shell('env'), keepOutput: 'all' });
  } finally {
    delete process.env.EDGEWISE_ENROL_TOKEN;
  }
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  expect(controlPlane.outputs.get('job-a/0')).not.toContain('very-secret');
});

/** The one that holds so many arguments' worth of our directory: its socket and its place. */
async function launcherOf(mentions: number): Promise<number[]> {
  let found: number[] = [];
  await waitUntil(() => {
    found = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && isLauncher(pid, mentions));
    return found.length === 1;
  });
  return found;
}

function isLauncher(pid: number, mentions: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return line.includes('launcher') && line.split(`${stage.path}/edge-1`).length > mentions;
  } catch {
    return false;
  }
}

/** A process that listens and is killed. */
function leaveSocket(path: string): void {
  const die = 'process.kill(process.pid, 9)';
  const program = `require('net').createServer().listen(process.argv[1], () => ${die})`;
  spawnSync(process.execPath, ['-e', program, path]);
  expect(existsSync(path)).toBe(true);
}
