import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { endStaleChildren } from '../../engine/child.ts';
import type { StateStore } from '../../engine/state-store.ts';

/** A path as long as those of real programs: a narrow terminal must not hide it. */
const command = `/bin/${'./'.repeat(60)}sleep`;

function storeOf(pid: number, said: string): StateStore & { removed: string[] } {
  const removed: string[] = [];
  const store: Pick<StateStore, 'list' | 'remove'> = {
    list: () => [{ key: 'database', value: JSON.stringify({ pid, command: said }) }],
    remove: (_, key) => void removed.push(key),
  };
  return Object.assign(store as StateStore, { removed });
}

test('a program that an earlier life left is ended; another one with its number is not', async () => {
  const child = spawn(command, ['300'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  const others = storeOf(child.pid!, '/usr/bin/dynoxide');
  endStaleChildren(others);
  expect([child.exitCode, others.removed]).toEqual([null, ['database']]);
  process.kill(child.pid!, 0);
  endStaleChildren(storeOf(child.pid!, command));
  expect(await ended).toBe('SIGKILL');
});
