/**
 * Server-sent events as the standard has them, as far as an API of ours sends them: `id` and
 * `data`, up to an empty line. What has no data still moves the place from which to go on.
 */
export type ServerSent = { readonly id: string | null; readonly data: string | null };

/** What is whole in a text, and what of the next has come. */
export function takeServerSent(text: string): { messages: ServerSent[]; rest: string } {
  const blocks = text.replaceAll('\r', '').split('\n\n');
  const rest = blocks.pop() ?? '';
  return { messages: blocks.map(messageOf), rest };
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
