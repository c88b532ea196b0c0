import { writeFileSync } from 'node:fs';
import { apiReference } from './api-reference.ts';

/**
 * `npm run docs:api`: writes `docs/api.md` anew after a route, a scope or a problem has changed.
 */
writeFileSync(new URL('../docs/api.md', import.meta.url), apiReference());
