import { type ServerSent, takeServerSent } from '../../core/protocol/server-sent.ts';
import { serverSentBytesMax } from '../limits.ts';

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
      const { messages, rest } = takeServerSent(held + decoder.decode(part, { stream: true }));
      held = rest;
      yield* messages;
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
