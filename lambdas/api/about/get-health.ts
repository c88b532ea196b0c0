import type { Answer } from '../http/call.ts';
import { version } from '../http/version.ts';

/** `GET /v1/health`: that the API answers, and which version does. Public; touches nothing. */
export const getHealth = {
  handle: async (): Promise<Answer> => ({ status: 200, body: { ok: true, version } }),
};
