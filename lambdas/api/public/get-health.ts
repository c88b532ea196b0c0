import type { Answer, Call } from '../http/call.ts';
import { version } from '../http/version.ts';

/** `GET /v1/health`: that the API answers, and which version does. Public; touches nothing. */
export async function getHealth(_call: Call): Promise<Answer> {
  return { status: 200, body: { ok: true, version } };
}
