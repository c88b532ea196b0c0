import { retryFirstMs } from './limits.ts';

/**
 * Sends a request again when the API says "later" (429, 503), and when the connection broke on one
 * that is safe to repeat: anything but a POST, and a POST with an idempotency key. What it answers
 * with in the end may still be a refusal.
 */
type Answered = { readonly status: number; readonly headers: Headers };

export type Pace = {
  readonly attemptsMax: number;
  readonly retryAfterMsMax: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 to 1, so that many clients do not come back at once. */
  readonly random: () => number;
  /** Whether another try cannot help. */
  readonly isFinal: (error: unknown) => boolean;
};

export async function repeat<A extends Answered>(
  send: () => Promise<A>,
  isRepeatable: boolean,
  pace: Pace,
): Promise<A> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= pace.attemptsMax;
    const backoffMs = retryFirstMs * 2 ** (attempt - 1) * (0.5 + pace.random());
    let received: A;
    try {
      received = await send();
    } catch (error) {
      if (!isRepeatable || isLast || pace.isFinal(error)) throw error;
      await pace.sleep(backoffMs);
      continue;
    }
    const isLater = received.status === 429 || received.status === 503;
    const waitMs = Math.max(backoffMs, retryAfterMs(received.headers.get('retry-after')));
    if (!isLater || isLast || waitMs > pace.retryAfterMsMax) return received;
    await pace.sleep(waitMs);
  }
}

function retryAfterMs(header: string | null): number {
  return header !== null && /^\d+$/.test(header) ? Number(header) * 1_000 : 0;
}

export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** With its question mark, or empty; a list is the same parameter several times. */
export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) search.append(key, String(one));
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
