import { createHash } from 'node:crypto';
import { invalid } from '../../../core/contract/problem.ts';
import { readSigningRequest } from './signing-request.ts';

/**
 * The identity behind a signing request: the SHA-256 of its public key. Who can make a request with
 * this key again is the same edge. A request that its own key did not sign is refused.
 */
export function publicKeyHash(csr: string): string {
  const request = readSigningRequest(csr);
  if (request === null) throw invalid('/csr', 'This is no PEM certificate signing request.');
  if (!request.isSigned) {
    throw invalid('/csr', 'The request is not signed by the key that is in it.');
  }
  return createHash('sha256').update(request.publicKey).digest('hex');
}
