import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { fillJob, type JobBody, jobBodySchema } from '../../core/contract/job-body.ts';
import { knownOf, sweepOf } from '../../core/contract/sweeps/params-body.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { agentSpec } from '../../core/protocol/agent-spec.ts';
import { signedText } from '../../core/protocol/signed-job.ts';
import { formatPublicKey } from '../../edge-agent/host/public-key.ts';
import { usage } from '../failure.ts';

/**
 * A job as somebody wrote it, with a signature over what edges will make of it: every default is
 * filled in as the API does. What the API would decide by its fleet has to be said, or else a
 * stolen one could decide it.
 */
export function signedBody(
  written: Readonly<Record<string, unknown>>,
  key: KeyObject,
  until: string | null,
): Record<string, unknown> {
  const { signature: _earlier, ...unsigned } = written;
  const checked = checkBody(jobBodySchema, unsigned);
  if (!checked.ok) {
    const [first] = checked.errors;
    throw usage(`The job is not valid at ${first?.pointer || '/'}: ${first?.message}`);
  }
  const { spec, chunking } = fillJob(countedBody(checked.value), noFleet);
  const publicKey = formatPublicKey(createPublicKey(key));
  const signature = { key: publicKey, value: '', until };
  const text = signedText(agentSpec('', '', { ...spec, signature }, chunking, ''), until);
  const value = sign(null, Buffer.from(text), key).toString('base64url');
  return { ...unsigned, signature: { ...signature, value } };
}

/** What it decides is not signed, or has been said. */
const noFleet = { largestEdgePower: null, policy: 'spread' } as const;

function countedBody(body: JobBody): JobBody {
  if (body.params !== undefined) {
    const sweep = sweepOf(body.params);
    if (!('file' in sweep)) return { ...body, chunks: knownOf(sweep).chunks };
    throw usage(
      'Parameters from a file cannot be signed: an edge never sees all of it.',
      'Write them as a list ("items") or as a matrix, or give the file as an input.',
    );
  }
  const isOpen = body.power !== null && body.chunks === null && body.chunkOffsets === undefined;
  if (!isOpen) return body;
  throw usage(
    'Into how many chunks the job is cut would be decided by the API.',
    'Add "chunks", so that the signature covers how many there are.',
  );
}
