/**
 * The Device Shadow service as one pure function: what was stored and a request give the answer,
 * the messages on the reserved topics and what is stored next. It knows no clock and no wire.
 */
import type { Json, JsonObject } from '../json.ts';
import { shadowDocumentBytesMax, shadowTombstoneMs } from '../limits.ts';
import {
  delta,
  deltaMetadata,
  documentBytes,
  mergeSection,
  type Section,
  type Stamped,
  sections,
  stamp,
} from './document.ts';
import {
  type Parsed,
  parseTokenOnly,
  parseUpdate,
  type ShadowError,
  type UpdateRequest,
} from './request.ts';

type LiveShadow = {
  readonly kind: 'live';
  readonly version: number;
  readonly desired?: Stamped;
  readonly reported?: Stamped;
};
type DeletedShadow = {
  readonly kind: 'deleted';
  readonly version: number;
  readonly deletedAtMs: number;
};
export type StoredShadow = LiveShadow | DeletedShadow;

export type ShadowRequest = {
  readonly operation: 'get' | 'update' | 'delete';
  readonly thing: string;
  /** Absent: the classic shadow. */
  readonly name?: string;
  readonly payload: Uint8Array;
  readonly source: 'mqtt' | 'http';
};

export type ShadowMessage = { readonly topic: string; readonly body: JsonObject };

export type ShadowOutcome = {
  readonly response: { readonly code: number; readonly body: JsonObject };
  readonly messages: readonly ShadowMessage[];
  /** What to store; the same value as before when nothing changed. */
  readonly next: StoredShadow | undefined;
};

export function apply(
  nowMs: number,
  stored: StoredShadow | undefined,
  request: ShadowRequest,
): ShadowOutcome {
  switch (request.operation) {
    case 'get':
      return get(nowMs, stored, request);
    case 'update':
      return update(nowMs, stored, request);
    case 'delete':
      return remove(nowMs, stored, request);
  }
}

/** A refusal made outside of the document, for example by a throttle. */
export function reject(
  stored: StoredShadow | undefined,
  request: ShadowRequest,
  error: ShadowError,
): ShadowOutcome {
  const token = error.clientToken;
  // timestamp "is not present in all error response documents": in none that was seen of AWS.
  const body: JsonObject = {
    code: error.code,
    message: error.message,
    ...(token === undefined ? {} : { clientToken: token }),
  };
  // "only emitted as a response to a publish request on one of the reserved $aws topics"
  const messages =
    request.source === 'mqtt' ? [message(request, `${request.operation}/rejected`, body)] : [];
  return { response: { code: error.code, body }, messages, next: stored };
}

/** The error that a request which never reached the document carries back its token with. */
export function tokenOf(request: ShadowRequest): { clientToken?: string } {
  const parsed: Parsed<{ clientToken?: string }> = parseTokenOnly(request.payload);
  return 'error' in parsed ? {} : parsed.ok;
}

export const topicPrefix = (thing: string, name: string | undefined): string =>
  `$aws/things/${thing}/shadow${name === undefined ? '' : `/name/${name}`}`;

function get(
  nowMs: number,
  stored: StoredShadow | undefined,
  request: ShadowRequest,
): ShadowOutcome {
  const parsed = parseTokenOnly(request.payload);
  if ('error' in parsed) return reject(stored, request, parsed.error);
  if (stored?.kind !== 'live') return reject(stored, request, missing(request, parsed.ok));
  const difference = delta(stored.desired?.value, stored.reported?.value);
  const body: JsonObject = {
    state: { ...state(stored), ...(difference === undefined ? {} : { delta: difference }) },
    metadata: {
      ...metadata(stored),
      ...(difference === undefined
        ? {}
        : { delta: deltaMetadata(difference, stored.desired!.metadata) }),
    },
    version: stored.version,
    timestamp: seconds(nowMs),
    ...parsed.ok,
  };
  // A get over HTTP is answered to its caller only.
  const messages = request.source === 'mqtt' ? [message(request, 'get/accepted', body)] : [];
  return { response: { code: 200, body }, messages, next: stored };
}

function update(
  nowMs: number,
  stored: StoredShadow | undefined,
  request: ShadowRequest,
): ShadowOutcome {
  const parsed = parseUpdate(request.payload);
  if ('error' in parsed) return reject(stored, request, parsed.error);
  const wanted = parsed.ok;
  const token = wanted.clientToken === undefined ? {} : { clientToken: wanted.clientToken };
  const version = latestVersion(nowMs, stored);
  // "processes the update only if the specified version matches the latest version it has"
  if (wanted.version !== undefined && wanted.version !== version) {
    const conflict: ShadowError = { code: 409, message: 'Version conflict', ...token };
    return reject(stored, request, conflict);
  }
  const previous = stored?.kind === 'live' ? stored : undefined;
  const timestamp = seconds(nowMs);
  const next = merged(previous, wanted, version + 1, timestamp);
  if (documentBytes([next.desired?.value, next.reported?.value]) > shadowDocumentBytesMax) {
    const tooLarge = 'The payload exceeds the maximum size allowed';
    return reject(stored, request, { code: 413, message: tooLarge, ...token });
  }
  const accepted: JsonObject = {
    // "contains only fields that were in the request state document"
    state: wanted.state as Json,
    metadata: stamp(wanted.state as Json, timestamp),
    version: next.version,
    timestamp,
    ...token,
  };
  const messages = [
    message(request, 'update/accepted', accepted),
    ...deltaMessages(request, next, timestamp, token),
    message(request, 'update/documents', {
      previous: previous === undefined ? null : document(previous),
      current: document(next),
      timestamp,
      ...token,
    }),
  ];
  return { response: { code: 200, body: accepted }, messages, next };
}

/** Sent when an accepted change leaves "different values for desired and reported states". */
function deltaMessages(
  request: ShadowRequest,
  next: LiveShadow,
  timestamp: number,
  token: { clientToken?: string },
): ShadowMessage[] {
  const difference = delta(next.desired?.value, next.reported?.value);
  if (difference === undefined) return [];
  return [
    message(request, 'update/delta', {
      version: next.version,
      timestamp,
      state: difference,
      metadata: deltaMetadata(difference, next.desired!.metadata),
      ...token,
    }),
  ];
}

function remove(
  nowMs: number,
  stored: StoredShadow | undefined,
  request: ShadowRequest,
): ShadowOutcome {
  const parsed = parseTokenOnly(request.payload);
  if ('error' in parsed) return reject(stored, request, parsed.error);
  if (stored?.kind !== 'live') return reject(stored, request, missing(request, parsed.ok));
  const body: JsonObject = {
    version: stored.version,
    timestamp: seconds(nowMs),
    ...parsed.ok,
  };
  // Deleting takes a version itself, so a shadow created again goes on at the one after it.
  const next: DeletedShadow = { kind: 'deleted', version: stored.version + 1, deletedAtMs: nowMs };
  return {
    response: { code: 200, body },
    messages: [message(request, 'delete/accepted', body)],
    next,
  };
}

function merged(
  previous: LiveShadow | undefined,
  wanted: UpdateRequest,
  version: number,
  timestamp: number,
): LiveShadow {
  const after = (section: Section): Stamped | undefined => {
    if (wanted.state === null) return undefined;
    const patch = wanted.state[section];
    return patch === undefined
      ? previous?.[section]
      : mergeSection(previous?.[section], patch, timestamp);
  };
  const parts = sections.map((section) => [section, after(section)] as const);
  return {
    kind: 'live',
    version,
    ...Object.fromEntries(parts.filter(([, part]) => part !== undefined)),
  };
}

/** "It will be reset to zero after 48 hours." */
function latestVersion(nowMs: number, stored: StoredShadow | undefined): number {
  if (stored === undefined) return 0;
  const forgotten = stored.kind === 'deleted' && nowMs - stored.deletedAtMs >= shadowTombstoneMs;
  return forgotten ? 0 : stored.version;
}

const state = (shadow: LiveShadow): JsonObject => ({
  ...(shadow.desired === undefined ? {} : { desired: shadow.desired.value }),
  ...(shadow.reported === undefined ? {} : { reported: shadow.reported.value }),
});

const metadata = (shadow: LiveShadow): JsonObject => ({
  ...(shadow.desired === undefined ? {} : { desired: shadow.desired.metadata }),
  ...(shadow.reported === undefined ? {} : { reported: shadow.reported.metadata }),
});

const document = (shadow: LiveShadow): JsonObject => ({
  state: state(shadow),
  metadata: metadata(shadow),
  version: shadow.version,
});

const missing = (request: ShadowRequest, token: { clientToken?: string }): ShadowError => ({
  code: 404,
  message: `No shadow exists with name: '${request.name ?? request.thing}'`,
  ...token,
});

const message = (request: ShadowRequest, suffix: string, body: JsonObject): ShadowMessage => ({
  topic: `${topicPrefix(request.thing, request.name)}/${suffix}`,
  body,
});

const seconds = (nowMs: number): number => Math.floor(nowMs / 1000);
