import { type KeyObject, verify } from 'node:crypto';
import { countOfOffsets, shownChunk, shownChunks } from '../../core/federation/chunk-offsets.ts';
import { last, type RangeSet } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { signedText } from '../../core/protocol/signed-job.ts';
import { parsePublicKeys } from './public-key.ts';

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

export function parseSigners(named: unknown): Signers {
  const keys = parsePublicKeys(named, 'signers');
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
