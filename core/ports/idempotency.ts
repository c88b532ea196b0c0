/**
 * First answers by `Idempotency-Key`, for a day. A key belongs to its caller and stands for one
 * request: method, address and body. An answer that is not there yet means that the first request
 * is still in flight.
 */
export type IdempotentRequest = {
  readonly owner: string;
  readonly key: string;
  readonly digest: string;
};

export type StoredAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type FirstAnswer = {
  readonly digest: string;
  readonly startedAtMs: number;
  readonly answer: StoredAnswer | null;
};

/** Owners of keys that are places of open subscriptions begin so; no name of a caller does. */
export const ownsPlaces = 'streams:';

export type IdempotencyStore = {
  find(request: IdempotentRequest): Promise<FirstAnswer | null>;
  /** `false`: another request has this key. One that hung for longer than `staleMs` gives it up. */
  claim(request: IdempotentRequest, nowMs: number, staleMs: number): Promise<boolean>;
  /** Keeps the first answer; nothing when another request has the key by now. */
  finish(request: IdempotentRequest, answer: StoredAnswer): Promise<void>;
  /** Gives the key back, unless its answer is there or another request has it by now. */
  release(request: IdempotentRequest): Promise<void>;
};
