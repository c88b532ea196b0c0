import { serverSentBytesMax } from '../limits.ts';

/**
 * Server-sent events as the standard has them, as far as an API of ours sends them: `id` and
 * `data`, up to an empty line. What has no data still moves the place from which to go on.
 */
export type ServerSent = { readonly id: string | null; readonly data: string | null };

/** Ends quietly where the connection does, and where a message grows beyond all bounds. */
export async function* readServerSent(
  body: ReadableStream<Uint8Array>,
  silenceMs: { readonly first: number; readonly later: number },
): AsyncGenerator<ServerSent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let held = '';
  let patienceMs = silenceMs.first;
  try {
    for (;;) {
      const part = await nextPart(reader, patienceMs);
      if (part === null) return;
      patienceMs = silenceMs.later;
      held += decoder.decode(part, { stream: true }).replaceAll('\r', '');
      const blocks = held.split('\n\n');
      held = blocks.pop() ?? '';
      for (const block of blocks) yield messageOf(block);
      if (held.length > serverSentBytesMax) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** `null`: nothing comes any more, or nothing came for too long. */
async function nextPart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  patienceMs: number,
): Promise<Uint8Array | null> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patienceMs, null);
  });
  try {
    const part = await Promise.race([reader.read(), silence]);
    return part === null || part.done ? null : part.value;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(block: string): ServerSent {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const found = /^(id|data): ?(.*)$/.exec(line);
    if (found?.[1] === 'id') id = found[2] ?? null;
    if (found?.[1] === 'data') data.push(found[2] ?? '');
  }
  return { id, data: data.length === 0 ? null : data.join('\n') };
}
