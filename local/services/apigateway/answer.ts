/** Turns what a function returned into an HTTP answer, by the rules of payload format 2.0. */
export type ApiAnswer = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
};

/** The API's own answers: `{"message":"…"}`. */
export function messageAnswer(status: number, message: string): ApiAnswer {
  return jsonAnswer(status, JSON.stringify({ message }));
}

/** Undefined when the function's answer cannot be used; the API then answers 500. */
export function functionAnswer(payload: Buffer): ApiAnswer | undefined {
  const text = payload.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value === 'string') return jsonAnswer(200, value);
  if (typeof value !== 'object' || value === null || !('statusCode' in value)) {
    return jsonAnswer(200, text);
  }
  return structured(value as Record<string, unknown>);
}

function structured(value: Record<string, unknown>): ApiAnswer | undefined {
  const status = Number(value.statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  const body = value.body ?? '';
  // Programs have to make their body a text themselves.
  if (typeof body === 'object') return undefined;
  const text = String(body);
  const headers: Record<string, string> = {};
  for (const [name, item] of Object.entries((value.headers ?? {}) as object)) {
    headers[name.toLowerCase()] = String(item);
  }
  if (headers['content-type'] === undefined) {
    headers['content-type'] = 'text/plain;charset=UTF-8';
  }
  const cookies = Array.isArray(value.cookies) ? value.cookies.map(String) : [];
  const isBase64 = value.isBase64Encoded === true;
  return { status, headers, cookies, body: Buffer.from(text, isBase64 ? 'base64' : 'utf8') };
}

function jsonAnswer(status: number, text: string): ApiAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    cookies: [],
    body: Buffer.from(text),
  };
}
