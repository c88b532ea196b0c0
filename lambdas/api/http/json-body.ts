import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { ProblemError } from '../../../core/contract/problem.ts';
import { checkBody } from '../../../core/contract/validation.ts';
import { bodyBytesMax } from '../../../core/model/limits.ts';
import type { Call } from './call.ts';

/** Reads and checks a JSON body; everything that can be wrong with one is said here. */
export function readBody<S extends z.ZodType>(call: Call, schema: S): z.output<S> {
  return checked(schema, parseJson(call));
}

/** For bodies that may be absent: then the schema sees an empty object. */
export function readOptionalBody<S extends z.ZodType>(call: Call, schema: S): z.output<S> {
  return call.body.length === 0 ? checked(schema, {}) : readBody(call, schema);
}

const nothing = z.strictObject({});

/** Of a request that says all in its address: a field that it does not know is not ignored. */
export function checkNoFields(call: Call): void {
  readOptionalBody(call, nothing);
}

export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = checkBody(schema, value);
  if (result.ok) return result.value;
  const [first] = result.errors;
  const at = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  throw new ProblemError(
    'invalid-request',
    `The request is not valid${at}: ${first?.message ?? 'it has no known form.'}`,
    { errors: result.errors },
  );
}

export function checkSize(call: Call): void {
  if (call.body.length > bodyBytesMax) throw new ProblemError('body-too-large');
}

const decoder = new TextDecoder('utf-8', { fatal: true });

export function readText(call: Call): string {
  checkSize(call);
  try {
    return decoder.decode(call.body);
  } catch {
    throw new ProblemError('invalid-json', 'The body is not valid UTF-8.');
  }
}

function parseJson(call: Call): unknown {
  checkSize(call);
  checkMediaType(call);
  const text = readText(call);
  if (text.trim() === '') {
    throw new ProblemError('invalid-json', 'The body is empty; send a JSON object.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError('invalid-json');
  }
}

/** What was stored as JSON by somebody; `null` for what is none. */
export function storedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return null;
  }
}

const jsonType = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;

function checkMediaType(call: Call): void {
  const type = call.headers['content-type'];
  if (type !== undefined && !jsonType.test(type)) {
    throw new ProblemError('unsupported-media-type');
  }
}

/** A gateway carries bytes as they are only under a type that is no text. */
const packedType = /^application\/gzip\s*(;|$)/i;

/** A larger document, which may come packed; also as the bytes that it is, to be kept. */
export type PackedDocument = { readonly bytes: Uint8Array; readonly value: unknown };

export function readPackedDocument(call: Call, bytesMax: number): PackedDocument {
  checkSize(call);
  if (!isPacked(call)) checkMediaType(call);
  const bytes = unpacked(call, bytesMax);
  if (bytes.length > bytesMax) throw tooLarge(bytesMax);
  return { bytes, value: parseDocument(bytes) };
}

/** What was stored as it was sent: packed, when it begins as what gzip makes. */
export function unpackedDocument(stored: Uint8Array, bytesMax: number): PackedDocument {
  const begins = stored[0] === 0x1f && stored[1] === 0x8b;
  const bytes = begins ? gunzipped(stored, bytesMax) : stored;
  return { bytes, value: parseDocument(bytes) };
}

/** Null for what is no JSON in UTF-8. */
export function parsedOrNull(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return null;
  }
}

function parseDocument(bytes: Uint8Array): unknown {
  const value = parsedOrNull(bytes);
  if (value === null) throw new ProblemError('invalid-json');
  return value;
}

function isPacked(call: Call): boolean {
  return packedType.test(call.headers['content-type'] ?? '');
}

function unpacked(call: Call, maxOutputLength: number): Uint8Array {
  if (isPacked(call)) return gunzipped(call.body, maxOutputLength);
  const encoding = call.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity') return call.body;
  if (encoding !== 'gzip') {
    const detail = 'A body may be packed with gzip, and with nothing else.';
    throw new ProblemError('unsupported-media-type', detail);
  }
  return gunzipped(call.body, maxOutputLength);
}

function gunzipped(packed: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxOutputLength);
    const detail = 'The body is not what gzip makes; packed it has the type application/gzip.';
    throw new ProblemError('invalid-json', detail);
  }
}

function tooLarge(bytesMax: number): ProblemError {
  return new ProblemError('body-too-large', `A document has at most ${bytesMax} bytes here.`);
}
