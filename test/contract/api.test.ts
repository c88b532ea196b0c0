import { expect, test } from 'vitest';
import { routes } from '../../core/contract/routes.ts';
import { apiDocument, documented, everyOperation } from './api-contract.ts';
import { onStoresInMemory } from './stores.ts';

test('every route is documented, and nothing else', () => {
  const names = documented.map((operation) => operation.operationId).sort();
  expect(names).toEqual(routes.map((route) => route.operation).sort());
});

test('every reference in the document leads somewhere', () => {
  const text = JSON.stringify(apiDocument);
  const schemas = (apiDocument as unknown as { components: { schemas: object } }).components
    .schemas;
  for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]+)/g)) {
    expect(schemas).toHaveProperty(name!);
  }
});

onStoresInMemory(everyOperation);
