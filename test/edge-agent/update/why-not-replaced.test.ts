import { expect, test } from 'vitest';
import { UpdateError } from '../../../edge-agent/update/fetch-release.ts';
import { whyNotReplaced } from '../../../edge-agent/update/why-not-replaced.ts';

const path = '/opt/edgewise/edgewise-agent';
const refused = (code: string) => Object.assign(new Error(`${code}: open`), { code });

test.each([
  ['EACCES', /may not replace .*edgewise-agent/],
  ['EPERM', /may not replace/],
  ['EROFS', /read-only/],
  ['ENOSPC', /no room/],
  ['EDQUOT', /no room/],
])('%s names the program, and not the data directory', (code, words) => {
  const reason = whyNotReplaced(refused(code), path);
  expect(reason).toBeInstanceOf(UpdateError);
  expect((reason as Error).message).toMatch(words);
});

test('what has a sentence of its own keeps it', () => {
  const own = new UpdateError('The new program does not run here: it does not answer.');
  expect(whyNotReplaced(own, path)).toBe(own);
});
