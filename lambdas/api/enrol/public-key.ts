import { createHash } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { invalid } from '../../../core/wire/problem.ts';

/**
 * The identity behind a signing request: the SHA-256 of its public key. Who can make a request with this key again is the
 * same edge. A request that its own key did not sign is refused.
 */
export async function publicKeyHash(csr: string): Promise<string> {
  let request: Pkcs10CertificateRequest;
  let signed: boolean;
  try {
    request = new Pkcs10CertificateRequest(csr);
    signed = await request.verify();
  } catch {
    throw invalid('/csr', 'This is no PEM certificate signing request.');
  }
  if (!signed) throw invalid('/csr', 'The request is not signed by the key that is in it.');
  return createHash('sha256').update(Buffer.from(request.publicKey.rawData)).digest('hex');
}
