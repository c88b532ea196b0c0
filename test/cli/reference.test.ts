import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliReference } from '../../cli/reference.ts';

test('docs/cli.md says what the client can do: after a change, npm run docs:cli', async () => {
  const written = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
  expect(written).toBe(await cliReference());
});
