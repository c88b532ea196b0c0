import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { countOfOffsets, shownChunk, shownChunks } from '../../core/federation/chunk-offsets.ts';
import { last, type RangeSet } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { signedText } from '../../core/protocol/signed-job.ts';

/**
 * Whether somebody whom the owner of this edge trusts has signed a job. Only the job itself and the
 * keys of the owner's own file say so: the control plane, which brings the job, is asked nothing.
 */
export type Signers = {
  /** Why chunks with these numbers are not run here, or `null`. */
  refusalOf(spec: AgentSpec, chunks: RangeSet): string | null;
  /** Why nothing of it is started any more, though what runs goes on; or `null`. */
  obstacleOf(spec: AgentSpec, nowMs: number): string | null;
};

class SignerError extends Error {}

/** The beginning of an Ed25519 key in DER (RFC 8410); 32 bytes follow. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const keyBytes = 32;
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/** Names, which are for people, with public keys as `edgewise sign` prints them. */
export function parseSigners(named: unknown): Signers {
  if (!isRecord(named)) throw new SignerError('"signers" is not an object of names with keys');
  const keys = new Map<string, KeyObject>();
  for (const [name, text] of Object.entries(named)) {
    const key = typeof text === 'string' ? publicKeyOf(text) : null;
    if (key === null) throw new SignerError(`"signers.${name}" is no public key of edgewise sign`);
    keys.set(text as string, key);
  }
  const judged = new WeakMap<AgentSpec, string | null>();
  return {
    refusalOf(spec, chunks) {
      let refusal = judged.get(spec);
      if (refusal === undefined) {
        refusal = judge(spec, keys);
        judged.set(spec, refusal);
      }
      return refusal ?? (isWithin(spec, chunks) ? null : 'the job has no chunks of these numbers');
    },
    obstacleOf({ signature }, nowMs) {
      const until = signature?.until ?? null;
      // An instant that is none has passed.
      if (until === null || nowMs < Date.parse(until)) return null;
      return `signature-ended: the signature of the job was good until ${until}`;
    },
  };
}

function publicKeyOf(text: string): KeyObject | null {
  if (!keyPattern.test(text)) return null;
  const raw = Buffer.from(text, 'base64url');
  if (raw.length !== keyBytes || raw.toString('base64url') !== text) return null;
  return createPublicKey({ key: Buffer.concat([derPrefix, raw]), format: 'der', type: 'spki' });
}

/** As it stands in a policy file. */
export function formatPublicKey(key: KeyObject): string {
  return key
    .export({ format: 'der', type: 'spki' })
    .subarray(derPrefix.length)
    .toString('base64url');
}

function judge(spec: AgentSpec, keys: ReadonlyMap<string, KeyObject>): string | null {
  const { signature } = spec;
  if (signature === undefined) return 'the job is not signed';
  const key = keys.get(signature.key);
  if (key === undefined) return 'the job is signed with a key that is not trusted here';
  const { params, sweep = false, chunkOffsets } = spec;
  if (sweep !== (params !== undefined) || (sweep && chunkOffsets !== undefined)) {
    return 'the parameters of its chunks are not signed';
  }
  const text = Buffer.from(signedText(spec, signature.until ?? null));
  if (!verify(null, text, key, Buffer.from(signature.value, 'base64url'))) {
    return 'the job is not as it was signed';
  }
  return null;
}

/** How many there are is signed, so there is none beyond; a service has as many as wanted. */
function isWithin(spec: AgentSpec, chunks: RangeSet): boolean {
  if (spec.restart !== undefined) return true;
  const highest = last(chunks);
  if (highest === undefined) return true;
  const own = countOfOffsets(spec.chunkOffsets) ?? spec.chunks;
  // Numbers that chunks see rise with their own.
  return highest < own && shownChunk(spec, own - 1) < shownChunks(spec);
}
