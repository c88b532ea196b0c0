import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { examineHost, findProgram } from '../../edge-agent/host/host-inspection.ts';
import { sourceFiles } from '../source-files.ts';
import { onTheHost, programs } from './crowd.ts';

/** That the tests really live on the crowded host; else they would depend on the one below. */
test('its programs are found before those of the host below', async () => {
  const path = process.env.PATH ?? '';
  for (const name of Object.keys(programs)) {
    expect(findProgram(name, path)).toBe(join(inject('crowd').programs, name));
  }
  const host = await examineHost({ wanted: null, path, software: {} });
  expect(host.containerEngine).toBe('docker');
  expect([...host.executors.keys()].sort()).toEqual([
    'container',
    'flux',
    'pod',
    'process',
    'simulate',
    'slurm',
  ]);
});

test('what a test starts has another home, language, time and account', () => {
  const words = 'echo "$HOME $LANG $AWS_PROFILE"; date +%z; umask';
  const said = spawnSync('sh', ['-c', words], { encoding: 'utf8' }).stdout.split('\n');
  expect(said).toContain(`${inject('crowd').home} tr_TR.UTF-8 strange`);
  expect(said.some((line) => ['+1245', '+1345'].includes(line))).toBe(true);
  expect(said).toContain('0077');
  expect(homedir()).toBe(inject('crowd').home);
  expect(new Date(0).getHours()).not.toBe(0);
});

test('its temporary directory has a space in its name, and is the one that is used', () => {
  expect(tmpdir()).toBe(inject('crowd').temporary);
  expect(tmpdir()).toContain(' ');
  expect(existsSync(tmpdir())).toBe(true);
});

test('all live there but what drives a browser', () => {
  const config = readFileSync('vitest.config.ts', 'utf8');
  expect(config.match(/\.\.\.crowded/g)).toHaveLength(3);
  const flows = sourceFiles().filter(({ path }) => /\/flow\/.*\.test\.ts$/.test(path));
  const leftOut = flows.filter(({ path }) => onTheHost.test(`/${path}`));
  expect(leftOut.length).toBe(14);
  expect(flows.length).toBeGreaterThan(4 * leftOut.length);
});
