import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import {
  formatDirectoryName,
  parseDirectoryName,
} from '../../../edge-agent/chunk-directory/directory-name.ts';

const name = { edge: 'edge-1', job: jobIdOf('job-a'), chunk: 12, attempt: 3 };

test('a directory says whose it is', () => {
  for (const isKept of [true, false]) {
    const text = formatDirectoryName(name, { isKept, random: '0af1' });
    expect(parseDirectoryName(text)).toEqual({ ...name, isKept });
    expect(text).toMatch(/^[a-z0-9_-]+$/);
  }
});

test('what is no directory of a chunk is none', () => {
  for (const text of ['', 'lost+found', 'a_b_c_d_x1', '../etc_a_1_1_x0', 'edge-1_job-a_1_1_']) {
    expect(parseDirectoryName(text)).toBeNull();
  }
  expect(parseDirectoryName(`edge-1_job-a_${'9'.repeat(20)}_1_x0`)).toBeNull();
});
