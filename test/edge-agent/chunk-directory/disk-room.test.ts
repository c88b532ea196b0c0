import { expect, test } from 'vitest';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import { makeDiskRoom } from '../../../edge-agent/chunk-directory/disk-room.ts';
import { diskFreeBytesMin, diskLookEveryMs, diskTroubleMs } from '../../../edge-agent/limits.ts';
import { makeHandClock } from '../hand-clock.ts';

const run = { process: { argv: ['true'], env: {}, cwd: null, timeoutSeconds: null } };
const job = (resources: Record<string, number>, more: Partial<AgentSpec> = {}): AgentSpec =>
  ({ run, resources, ...more }) as AgentSpec;

async function waitFor(clock: ReturnType<typeof makeHandClock>, ms: number): Promise<void> {
  clock.after(ms, () => {});
  await clock.wind();
}

test('a chunk is not started where there is no room for it', async () => {
  let free = diskFreeBytesMin;
  const clock = makeHandClock();
  const room = makeDiskRoom('/nowhere', clock, () => free);
  expect(room.obstacle(job({}))).toBeNull();
  expect(room.obstacle(job({ diskMb: 100 }))).toBe('no-free-disk: less than 100 MB are free');
  expect(room.isTroubled()).toBe(false);
  free = diskFreeBytesMin - 1;
  await waitFor(clock, diskLookEveryMs);
  expect(room.obstacle(job({}))).toBe('no-free-disk: less than 64 MB are free');
  expect(room.isTroubled()).toBe(true);
  expect(room.obstacle(job({}, { run: { simulate: { seconds: 1 } } }))).toBeNull();
});

test('a disk that took no directory is asked again after a while', async () => {
  const clock = makeHandClock();
  const room = makeDiskRoom('/nowhere', clock, () => Number.MAX_SAFE_INTEGER);
  room.failed(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  expect(room.obstacle(job({}))).toBe('no-free-disk: the disk takes no directory');
  expect(room.isTroubled()).toBe(true);
  await waitFor(clock, diskTroubleMs);
  expect(room.obstacle(job({}))).toBeNull();
  room.failed(Object.assign(new Error('not allowed'), { code: 'EACCES' }));
  expect(room.obstacle(job({}))).toBe('no directory: EACCES');
});
