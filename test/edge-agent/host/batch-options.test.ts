import { expect, test } from 'vitest';
import { foreignOption } from '../../../edge-agent/host/batch-options.ts';

test.each([
  '--chdir=/etc',
  '--chd=/etc',
  '--chdir',
  '-D/etc',
  '-D',
  '-HD/etc',
  '--output=/var/lib/edgewise/identity.json',
  '-o/var/lib/edgewise/identity.json',
  '-eerrors',
  '--err=x',
  '--input=/etc/shadow',
  '--uid=0',
  '--wrap=true',
  '--cwd=/etc',
  '--setattr=system.cwd=/etc',
  '-Ssystem.cwd=/etc',
  '--',
])('%s is the edge’s to say', (option) => {
  expect(foreignOption(['--partition=gpu', option])).toBe(option);
});

test.each([
  ['--partition=gpu'],
  ['-p', 'gpu'],
  ['-pdebug'],
  ['--account=team', '--exclusive', '--constraint=edison'],
  ['-N2', '-n', '4'],
  ['--queue=debug'],
])('%s is the job’s', (...options) => {
  expect(foreignOption(options)).toBeNull();
});
