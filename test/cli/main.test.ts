import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { version } from '../../cli/version.ts';

/** The real process, because only it has streams that break. */
const entry = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const env = { PATH: process.env.PATH };

test.skipIf(!existsSync('/dev/full'))(
  'data that cannot be written is a failure with a message',
  () => {
    const full = openSync('/dev/full', 'w');
    try {
      const stdio = ['ignore', full, 'pipe'] as const;
      const { status, stderr } = spawnSync(process.execPath, [entry, 'version'], {
        stdio: [...stdio],
        encoding: 'utf8',
        env,
      });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: 'edgewise: The output cannot be written (ENOSPC).\n',
      });
    } finally {
      closeSync(full);
    }
  },
);

test.skipIf(!existsSync('/dev/full'))('messages that cannot be written stop nothing', () => {
  const full = openSync('/dev/full', 'w');
  try {
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [entry, ...words], {
        stdio: ['ignore', 'pipe', full],
        encoding: 'utf8',
        env,
      });
    expect(run('version')).toMatchObject({ status: 0, stdout: `edgewise ${version}\n` });
    expect(run('nonsense')).toMatchObject({ status: 2, stdout: '' });
  } finally {
    closeSync(full);
  }
});
