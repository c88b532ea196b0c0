import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { signedBody } from '../../../cli/sign/signed-body.ts';
import { fillJob, jobBodySchema } from '../../../core/contract/job-body.ts';
import { agentSpec } from '../../../core/protocol/agent-spec.ts';
import { formatPublicKey } from '../../../edge-agent/host/public-key.ts';

/** A key as `edgewise sign` makes one, and its public half as it stands in a policy file. */
export function makeSigner() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = formatPublicKey(createPublicKey(privateKey));
  return {
    publicKey,
    sign: (body: Record<string, unknown>, until: string | null = null) =>
      signedBody(body, privateKey, until),
  };
}

/** What an agent is answered for a job that was submitted with this body. */
export function specOf(written: Record<string, unknown>, id = 'job'): Record<string, unknown> {
  const body = jobBodySchema.parse(written);
  const { spec, chunking } = fillJob(body, { largestEdgePower: 250, policy: 'pack' });
  return JSON.parse(JSON.stringify(agentSpec(id, 'h1', spec, chunking, 'someone')));
}
