import { serve } from '../http/serve.ts';
import { getHealth } from './get-health.ts';

export const publicOperations = { getHealth };

/** What anybody may read; also the answer to addresses that there are not. */
export const handler = serve('public', publicOperations, () => null);
