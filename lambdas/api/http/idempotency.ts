import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ProblemError } from '../../../core/contract/problem.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import { idempotencyInFlightMs, idempotencyKeyLengthMax } from '../../../core/model/limits.ts';
import type {
  IdempotencyStore,
  IdempotentRequest,
  StoredAnswer,
} from '../../../core/ports/idempotency.ts';
import type { KeptAnswer } from '../../../core/ports/jobs.ts';
import { type Answer, type Call, callerOf, type Handler } from './call.ts';

/**
 * `Idempotency-Key`: the same key and body get the first answer again, also after a crash; another
 * body is refused. What fits one transaction stores its answer in it; what does not claims the key
 * first and is answered 409 meanwhile. Answers may hold secrets, so they are sealed with a key made
 * of the caller's own token: only who asked can read them.
 */
export function readIdempotencyKey(call: Call): string | null {
  const key = call.headers['idempotency-key'];
  if (key === undefined) return null;
  if (key.length >= 1 && key.length <= idempotencyKeyLengthMax) return key;
  throw new ProblemError(
    'invalid-request',
    `An Idempotency-Key has 1 to ${idempotencyKeyLengthMax} characters.`,
    { errors: [{ pointer: '#idempotency-key', message: 'This header is empty or too long.' }] },
  );
}

/** To be stored together with what was asked for. */
export function firstAnswer(call: Call, key: string, answer: Answer): KeptAnswer {
  return { request: requestOf(call, key), answer: seal(call, answer), atMs: call.nowMs };
}

/** The answer that the first request with this key got. */
export async function answerAgain(
  call: Call,
  key: string,
  store: IdempotencyStore,
): Promise<Answer> {
  const request = requestOf(call, key);
  const first = await store.find(request);
  if (first !== null && first.digest !== request.digest) {
    throw new ProblemError('idempotency-key-reused');
  }
  if (first === null || first.answer === null) {
    throw new ProblemError('idempotency-in-flight', undefined, { headers: { 'retry-after': '1' } });
  }
  return unseal(call, first.answer);
}

/** Runs what does not fit one transaction at most once for a key. A failure gives the key back. */
export async function onceFor(
  call: Call,
  store: IdempotencyStore,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const key = readIdempotencyKey(call);
  if (key === null) return run();
  const request = requestOf(call, key);
  if (!(await store.claim(request, call.nowMs, idempotencyInFlightMs))) {
    return answerAgain(call, key, store);
  }
  try {
    const answer = await run();
    await store.finish(request, seal(call, answer));
    return answer;
  } catch (error) {
    await store.release(request);
    throw error;
  }
}

/** An operation over REST that makes something new, so that a key makes it once. */
export function onceByKey<D extends { readonly idempotency: IdempotencyStore }>({
  handle,
}: {
  readonly handle: Handler<D>;
}): { readonly handle: Handler<D> } {
  return { handle: (call, deps) => onceFor(call, deps.idempotency, () => handle(call, deps)) };
}

export function requestOf(call: Call, key: string): IdempotentRequest {
  const digest = createHash('sha256')
    .update(`${call.method} ${call.path}\n`)
    .update(call.body)
    .digest('base64url');
  return { owner: nameOfCaller(callerOf(call)), key, digest };
}

const cipher = 'aes-256-gcm';

function sealingKey(call: Call): Buffer {
  const token = call.headers.authorization ?? '';
  return Buffer.from(hkdfSync('sha256', token, 'edgewise', 'idempotent answer', 32));
}

function seal(call: Call, answer: Answer): StoredAnswer {
  const nonce = randomBytes(12);
  const sealing = createCipheriv(cipher, sealingKey(call), nonce);
  const plain = JSON.stringify(answer.body ?? null);
  const sealed = Buffer.concat([nonce, sealing.update(plain, 'utf8'), sealing.final()]);
  const body = Buffer.concat([sealing.getAuthTag(), sealed]).toString('base64');
  return { status: answer.status, headers: answer.headers ?? {}, body };
}

function unseal(call: Call, stored: StoredAnswer): Answer {
  const bytes = Buffer.from(stored.body, 'base64');
  const opening = createDecipheriv(cipher, sealingKey(call), bytes.subarray(16, 28));
  opening.setAuthTag(bytes.subarray(0, 16));
  try {
    const plain = Buffer.concat([opening.update(bytes.subarray(28)), opening.final()]);
    const headers = { ...stored.headers, 'idempotency-replayed': 'true' };
    return { status: stored.status, headers, body: JSON.parse(plain.toString('utf8')) };
  } catch {
    throw new ProblemError('idempotency-key-reused');
  }
}
