import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiReference } from '../../../core/wire/api-reference.ts';
import { routes } from '../../../core/wire/routes.ts';

test('docs/api.md says what the API can do: after a change, npm run docs:api', () => {
  const written = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  expect(written).toBe(apiReference());
  for (const { method, path } of routes) expect(written).toContain(`\`${method} ${path}\``);
});
