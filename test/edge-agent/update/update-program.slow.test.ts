import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { updateProgram } from '../../../edge-agent/update/update-program.ts';
import {
  makeKey,
  programName,
  programOf,
  type ServedRelease,
  serveRelease,
} from './served-release.ts';

let served: ServedRelease;
beforeEach(async () => {
  served = await serveRelease();
});
afterEach(() => served.close());

/** What the command says. */
async function update(...words: string[]): Promise<string> {
  let said = '';
  await updateProgram(words, {}, served.installed, (text) => {
    said += text;
  });
  return said;
}

const present = (): string => readFileSync(served.installed.path, 'utf8');
const left = (): string[] => readdirSync(served.directory).toSorted();

test('a newer release is taken, and the one before comes back', async () => {
  served.release('1.1.0');
  const policy = served.policy();
  expect(await update('--policy', policy, '--check')).toBe('1.1.0 is there; this is 1.0.0.\n');
  expect(present()).toContain('1.0.0');
  expect(await update('--policy', policy)).toContain('edgewise-agent is 1.1.0 now; it was 1.0.0');
  expect(present()).toContain('1.1.0');
  expect(left()).toEqual(['edgewise-agent', 'edgewise-agent.previous', 'policy.json']);
  expect(await update('--back')).toContain('is the program again that it was before');
  expect(present()).toContain('1.0.0');
  await expect(update('--back')).rejects.toThrow('There is no program before this one.');
});

test.each(['1.0.0', '0.9.9', '1.0.0-rc.1'])('%s is not newer, and nothing happens', async (old) => {
  served.release(old);
  expect(await update('--policy', served.policy())).toBe(
    `Nothing is newer than this: the release is ${old}.\n`,
  );
  expect(present()).toContain('1.0.0');
});

test('whoever could start the program before can start the new one', async () => {
  served.release('1.1.0');
  await update('--policy', served.policy());
  expect(statSync(served.installed.path).mode & 0o777).toBe(0o755);
});

test('what another update is writing is left to it', async () => {
  served.release('1.1.0');
  const theirs = `${served.installed.path}.new`;
  writeFileSync(theirs, 'half');
  await expect(update('--policy', served.policy())).rejects.toThrow('another update is under way');
  expect([readFileSync(theirs, 'utf8'), present()]).toEqual([
    'half',
    expect.stringContaining('1.0.0'),
  ]);
});

test('without a rule of the owner nothing is asked', async () => {
  served.release('1.1.0');
  const off = 'This machine takes no updates';
  await expect(update()).rejects.toThrow(off);
  const file = join(served.directory, 'policy.json');
  writeFileSync(file, '{}');
  await expect(update('--policy', file)).rejects.toThrow(off);
});

test('what runs from source, and what is of a package, is left alone', async () => {
  served.release('1.1.0');
  const words = ['--policy', served.policy()];
  const at = (path: string | null) =>
    updateProgram(words, {}, { ...served.installed, path }, () => undefined);
  await expect(at(null)).rejects.toThrow('runs from source');
  await expect(at('/usr/bin/edgewise-agent')).rejects.toThrow('belongs to a package');
});

const faults: [string, (program: Buffer) => void, string][] = [
  [
    'a stranger has signed it',
    () => served.release('1.1.0', undefined, makeKey().privateKey),
    'it is signed with a key that is not trusted here',
  ],
  [
    'another version is written over the signed one',
    () => {
      const file = served.files.get('/stable/manifest.json')!;
      const text = file.toString().replace('1.1.0', '1.2.0');
      served.files.set('/stable/manifest.json', Buffer.from(text));
    },
    'it is not as it was signed',
  ],
  ['the manifest is a page', () => put('manifest.json', Buffer.from('<html>')), 'it is not JSON'],
  ['the manifest is endless', () => put('manifest.json', Buffer.alloc(70_000)), 'it is too long'],
  [
    'the manifest is another document',
    () => put('manifest.json', Buffer.from('{}')),
    'no manifest',
  ],
  ['the program is not there', () => served.files.delete(`/stable/${programName}`), 'with 404'],
  ['a byte is another', (it) => put(programName, flipped(it)), 'is not what was signed'],
  ['it is cut off', (it) => put(programName, it.subarray(0, 9)), 'ends before it is whole'],
  ['something follows', (it) => put(programName, Buffer.concat([it, it])), 'is longer than it was'],
  [
    'it does not run here',
    () => served.release('1.1.0', Buffer.from('#!/bin/sh\nexit 3\n')),
    'The new program does not run here: it ends with 3.',
  ],
  [
    'it says another version',
    () => served.release('1.1.0', programOf('1.0.5')),
    'says that it is "edgewise-agent 1.0.5" and not 1.1.0',
  ],
];

function put(name: string, bytes: Buffer): void {
  served.files.set(`/stable/${name}`, bytes);
}

function flipped(program: Buffer): Buffer {
  const copy = Buffer.from(program);
  copy[5]! ^= 1;
  return copy;
}

test.each(faults)('nothing is replaced, and nothing stays, when %s', async (_, spoil, words) => {
  served.release('1.1.0');
  spoil(programOf('1.1.0'));
  await expect(update('--policy', served.policy())).rejects.toThrow(words);
  expect(present()).toContain('1.0.0');
  expect(left()).toEqual(['edgewise-agent', 'policy.json']);
});

test('a program for another machine is not taken', async () => {
  served.release('1.1.0');
  const installed = { ...served.installed, name: 'edgewise-agent-linux-arm64' };
  const words = ['--policy', served.policy()];
  await expect(updateProgram(words, {}, installed, () => undefined)).rejects.toThrow(
    '1.1.0 has no edgewise-agent-linux-arm64',
  );
});

test.each<[string, object]>([
  [
    '"updates.from" is no address',
    { from: 'http://example.com/', signers: { a: makeKey().publicKey } },
  ],
  ['"updates.signers" names nobody', { from: 'https://example.com/', signers: {} }],
  ['"updates.signers.a" is no public key', { from: 'https://example.com/', signers: { a: 'x' } }],
  ['"updates.every" is not a rule', { from: 'https://example.com/', signers: {}, every: 'day' }],
])('a rule that makes no sense is said: %s', async (words, rule) => {
  await expect(update('--policy', served.policy(rule))).rejects.toThrow(words);
});
