import { serve } from '../http/serve.ts';
import { getDocs, getDocsAsset } from './get-docs.ts';
import { getHealth } from './get-health.ts';
import { getOpenApi } from './get-openapi.ts';

export const publicOperations = { getHealth, getOpenApi, getDocs, getDocsAsset };

/** What anybody may read; also the answer to addresses that there are not. */
export const handler = serve('public', publicOperations, () => null);
