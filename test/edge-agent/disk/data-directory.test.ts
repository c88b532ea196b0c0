import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataDirectory } from '../../../edge-agent/disk/data-directory.ts';
import { agentCommand } from '../../../edge-agent/main.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'edgewise-data-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

async function refusal(data: string): Promise<string> {
  let said = '';
  const streams = {
    out: () => {},
    err: (text: string) => {
      said += text;
    },
  };
  const argv = ['--name', 'edge-1', '--api', 'http://127.0.0.1:1', '--data', data];
  expect(await agentCommand(argv, {}, streams)).toBe(1);
  return said;
}

test('it is made with its parents, for its user alone', () => {
  const directory = openDataDirectory(join(place, 'a', 'b'));
  expect(statSync(directory.path).mode & 0o777).toBe(0o700);
  directory.release();
});

test('a file where it should be is named', async () => {
  const file = join(place, 'file');
  writeFileSync(file, '');
  expect(await refusal(file)).toMatch(/file.* is not a directory\. Choose another --data\./);
});

test('a place that takes no directory is named as what it is', async () => {
  // The kernel's own: whoever asks, it takes none.
  expect(await refusal('/proc/edgewise')).toBe(
    'The agent cannot make /proc/edgewise: its disk takes no directories. Choose another --data.\n',
  );
});
