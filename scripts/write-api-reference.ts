import { writeFileSync } from 'node:fs';
import { apiReference } from './reference/api-reference.ts';
import { fieldReference, jobFileReference } from './reference/field-reference.ts';
import { openApiFile } from './reference/openapi-file.ts';
import { clientTypes } from './reference/typed-routes.ts';

/**
 * `npm run docs:api`: writes `docs/api.md`, `docs/fields.md`, `docs/job-file.md`,
 * `docs/openapi.json` and the types of the client anew after a route, a scope, a problem or a field
 * has changed.
 */
const pages = {
  'docs/api.md': apiReference,
  'docs/fields.md': fieldReference,
  'docs/job-file.md': jobFileReference,
  'docs/openapi.json': openApiFile,
  'clients/typescript/api.generated.ts': clientTypes,
};

for (const [name, page] of Object.entries(pages)) {
  writeFileSync(new URL(`../${name}`, import.meta.url), page());
}
