import { streamOpenMsMax } from '../limits.ts';

/**
 * Opens an answer that goes on while it is read, at the address where the API says that it is.
 * `null` is every way in which there is none: an older API, a proxy that lets none through, too
 * many at once. Nothing is tried again: there are other ways to the same.
 */
export async function openStream(
  url: string,
  token: string | null,
  lastId: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (lastId !== null) headers['last-event-id'] = lastId;
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(), streamOpenMsMax);
  const cut = AbortSignal.any([signal, opening.signal]);
  try {
    const first = await fetch(url, { headers, redirect: 'manual', signal: cut });
    const answer = await followed(first, url, headers, cut);
    const type = answer?.headers.get('content-type') ?? '';
    if (answer?.status === 200 && type.startsWith('text/event-stream')) return answer.body;
    await answer?.body?.cancel();
    return null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Deployments of before say so by 302. */
const elsewhere: ReadonlySet<number> = new Set([302, 307]);

async function followed(
  first: Response,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response | null> {
  const location = first.headers.get('location');
  if (!elsewhere.has(first.status) || location === null) return first;
  await first.body?.cancel();
  const there = new URL(location, url);
  return mayHaveToken(there, new URL(url))
    ? fetch(there, { headers, redirect: 'error', signal })
    : null;
}

/** A token goes unencrypted to the host that has it already, and to no other. */
function mayHaveToken(there: URL, api: URL): boolean {
  return there.protocol === 'https:' || there.hostname === api.hostname;
}
