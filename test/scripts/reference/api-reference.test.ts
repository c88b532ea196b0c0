import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes } from '../../../core/contract/routes.ts';
import { apiReference } from '../../../scripts/reference/api-reference.ts';
import { openApiFile } from '../../../scripts/reference/openapi-file.ts';
import { clientTypes } from '../../../scripts/reference/typed-routes.ts';

const written = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('docs/api.md says what the API can do: after a change, npm run docs:api', () => {
  const page = written('docs/api.md');
  expect(page).toBe(apiReference());
  for (const { method, path } of routes) expect(page).toContain(`\`${method} ${path}\``);
});

test('docs/openapi.json is the document of this API: after a change, npm run docs:api', () => {
  expect(written('docs/openapi.json') === openApiFile()).toBe(true);
});

test('the types of the client are those of the document: after a change, npm run docs:api', () => {
  expect(written('clients/typescript/api.generated.ts') === clientTypes()).toBe(true);
});
