import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { downloadFile } from '../../../cli/results/download-file.ts';
import { systemClock } from '../../../edge-agent/host/clock.ts';
import { download } from '../../../edge-agent/inputs/download.ts';
import { rangeBytes } from '../../../edge-agent/limits.ts';
import { scriptedTerminal } from '../../cli/scripted-terminal.ts';
import { type Misbehaviour, type RangedStore, startRangedStore } from './ranged-store.ts';

/** Large files over a store that fails in the middle: to an edge, and to who pulls. */
const content = randomBytes(4 * rangeBytes + 4_321);
const digest = createHash('sha256').update(content).digest('hex');

let directory: string;
let how: Misbehaviour;
let stored: Buffer;
let store: RangedStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-download-'));
  [how, stored] = [{}, content];
  store = await startRangedStore(() => stored, how);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const path = (): string => join(directory, 'file');

function toEdge(): Promise<void> {
  const { signal } = new AbortController();
  const { url } = store;
  return download({ url, digest, path: path(), makeRoom: () => true, clock: systemClock, signal });
}

function pull(): Promise<boolean> {
  const { url } = store;
  const wanted = { url, sha256: digest, bytes: content.length, executable: false };
  return downloadFile(scriptedTerminal({ directory }), { ...wanted, target: path() }, () => {});
}

/** Once, where a range begins that comes second. */
function once(what: 'refused' | 'gone' | 'replaced'): void {
  how.at = (start) => {
    if (start !== 2 * rangeBytes) return null;
    how.at = () => null;
    if (what !== 'replaced') return what;
    how.tag = '"two"';
    return null;
  };
}

const isWhole = (): boolean => readFileSync(path()).equals(content);

test('what came before a range that fails is kept, and gone on with', async () => {
  once('refused');
  await expect(toEdge()).rejects.toMatchObject({ kind: 'input-unreachable' });
  expect(statSync(path()).size).toBe(2 * rangeBytes);
  const before = store.asked.length;
  await toEdge();
  expect(isWhole()).toBe(true);
  const starts = store.asked.slice(before).map(({ start }) => start);
  expect(Math.min(...starts)).toBe(2 * rangeBytes);
});

test('a file that goes in the middle is missing', async () => {
  once('gone');
  await expect(toEdge()).rejects.toMatchObject({ kind: 'input-missing' });
});

test('of one that is replaced in the middle nothing is kept', async () => {
  once('replaced');
  await expect(toEdge()).rejects.toMatchObject({ kind: 'input-unreachable' });
  expect(existsSync(path())).toBe(false);
  await toEdge();
  expect(isWhole()).toBe(true);
});

test('a byte that is another one, in a range that comes second, is found', async () => {
  stored = Buffer.from(content);
  stored[rangeBytes + 5]! ^= 1;
  await expect(toEdge()).rejects.toMatchObject({ kind: 'input-corrupt' });
  expect(existsSync(path())).toBe(false);
});

test('before anything is kept it is asked whether there is room for all of it', async () => {
  const asked: number[] = [];
  const makeRoom = (bytes: number): boolean => asked.push(bytes) === 0;
  const { signal } = new AbortController();
  const wanted = { url: store.url, digest, path: path(), makeRoom, clock: systemClock, signal };
  await expect(download(wanted)).rejects.toMatchObject({ kind: 'no-free-disk' });
  expect(asked).toEqual([content.length]);
  expect(readdirSync(directory)).toEqual([]);
});

test.each(['refused', 'replaced'] as const)(
  'who pulls goes on by himself when a range in the middle is %s',
  async (what) => {
    once(what);
    expect(await pull()).toBe(true);
    expect(isWhole()).toBe(true);
    const starts = store.asked.filter(({ start }) => start === 0);
    expect(starts).toHaveLength(what === 'replaced' ? 2 : 1);
    expect(readdirSync(directory)).toEqual(['file']);
  },
);

test('who pulls what goes in the middle hears that it is not kept', async () => {
  once('gone');
  await expect(pull()).rejects.toThrow('it is not kept any more');
  expect(existsSync(path())).toBe(false);
});
