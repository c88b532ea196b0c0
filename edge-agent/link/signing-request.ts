import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

/**
 * A PKCS#10 certificate signing request for an edge, encoded by hand: the key is made here and
 * never leaves, and no certificate library has to live in an agent that should stay small.
 */
export function makePrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const commonNameOid = [0x55, 0x04, 0x03];
const ecdsaWithSha256Oid = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

export function makeSigningRequest(keyPem: string, commonName: string): string {
  const key = createPrivateKey(keyPem);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const name = tagged(
    0x30,
    tagged(0x31, tagged(0x30, tagged(0x06, commonNameOid), tagged(0x0c, Buffer.from(commonName)))),
  );
  const version = tagged(0x02, [0]);
  const noAttributes = tagged(0xa0);
  const info = tagged(0x30, version, name, publicKey, noAttributes);
  const signature = sign('sha256', info, key);
  const algorithm = tagged(0x30, tagged(0x06, ecdsaWithSha256Oid));
  const request = tagged(0x30, info, algorithm, tagged(0x03, [0], signature));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  const label = 'CERTIFICATE REQUEST-----';
  return `-----BEGIN ${label}\n${lines.join('\n')}\n-----END ${label}\n`;
}

/** One DER element: tag, length, content. */
function tagged(tag: number, ...parts: (Uint8Array | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length: number[] = [];
  for (let left = content.length; left > 0; left = Math.floor(left / 256))
    length.unshift(left % 256);
  const header =
    content.length < 128 ? [tag, content.length] : [tag, 0x80 | length.length, ...length];
  return Buffer.concat([Buffer.from(header), content]);
}
