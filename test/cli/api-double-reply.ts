import type { IncomingMessage } from 'node:http';

/** What the double is asked, and how its answers look. */
export type Request = {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
};

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export function problem(
  status: number,
  code: string,
  detail: string,
  errors?: readonly { pointer: string; message: string }[],
): Reply {
  const title = code.replaceAll('-', ' ');
  const body = { type: 'about:blank', title, status, code, detail, requestId: 'r-1' };
  return { status, body: errors === undefined ? body : { ...body, errors } };
}

export function page(items: readonly unknown[], query: URLSearchParams): Reply {
  const start = Number(query.get('cursor') ?? 0);
  const limit = Number(query.get('limit') ?? 50);
  const end = start + limit;
  const nextCursor = end < items.length ? String(end) : null;
  return { status: 200, body: { items: items.slice(start, end), nextCursor } };
}
