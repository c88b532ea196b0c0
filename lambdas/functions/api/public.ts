import { getDocs, getDocsAsset } from '../../api/about/get-docs.ts';
import { getHealth } from '../../api/about/get-health.ts';
import { getOpenApi } from '../../api/about/get-openapi.ts';
import { serve } from '../../api/http/serve.ts';
import { signInOf } from '../../sign-in.ts';

export const publicOperations = {
  getHealth: getHealth(signInOf(process.env), process.env.EVENT_STREAM_URL ?? null),
  getOpenApi,
  getDocs,
  getDocsAsset,
};

/** What anybody may read; also the answer to addresses that there are not. */
export const handler = serve('public', publicOperations, () => null);
