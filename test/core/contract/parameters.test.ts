import { expect, test } from 'vitest';
import { openApiDocument } from '../../../core/contract/openapi/openapi-document.ts';

type Parameter = { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
type Document = {
  readonly paths: Record<string, Record<string, { readonly parameters?: readonly Parameter[] }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
};

const document = openApiDocument('test') as unknown as Document;

function formOf(path: string, method: string, name: string) {
  const found = document.paths[path]?.[method]?.parameters?.find((it) => it.name === name);
  return found?.schema;
}

test('parameters have the form in which they are read', () => {
  expect(formOf('/v1/jobs', 'get', 'limit')).toMatchObject({ type: 'integer', maximum: 500 });
  expect(formOf('/v1/jobs', 'get', 'kind')).toEqual({
    type: 'string',
    enum: ['batch', 'service', 'everywhere'],
  });
  expect(formOf('/v1/jobs', 'get', 'label')).toMatchObject({ type: 'array' });
  expect(formOf('/v1/jobs/{id}/chunks/{chunk}', 'get', 'chunk')).toMatchObject({ minimum: 0 });
  expect(formOf('/v1/jobs/{id}', 'delete', 'purge')).toEqual({ type: 'boolean', default: false });
});

test('no schema is named that nobody refers to, and none contains itself', () => {
  const text = JSON.stringify(document.paths);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const own = `#/components/schemas/${name}"`;
    const others = JSON.stringify({ ...document.components.schemas, [name]: null });
    expect(text + others, name).toContain(own);
    expect(JSON.stringify(schema), name).not.toContain(own);
  }
});
