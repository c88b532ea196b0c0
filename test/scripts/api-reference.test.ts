import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../core/contract/routes.ts';
import { apiReference } from '../../scripts/api-reference.ts';

test('docs/api.md says what the API can do: after a change, npm run docs:api', () => {
  const written = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  expect(written).toBe(apiReference());
  for (const { method, path } of routes) expect(written).toContain(`\`${method} ${path}\``);
});
