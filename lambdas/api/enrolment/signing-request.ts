import { createPublicKey, verify } from 'node:crypto';

/**
 * Reads the two things that matter of a PKCS #10 signing request: the public key, and whether that
 * key signed it. Refuses what is not exactly one request in PEM, with lengths that fit. Written by
 * hand because it is forty lines of DER.
 */
export type SigningRequest = { readonly publicKey: Buffer; readonly isSigned: boolean };

const label = '(?:NEW )?CERTIFICATE REQUEST-----';
const pemPattern = new RegExp(`^\\s*-----BEGIN ${label}([A-Za-z0-9+/=\\s]+)-----END ${label}\\s*$`);

/** `null` for a text that is no signing request. */
export function readSigningRequest(pem: string): SigningRequest | null {
  const body = pemPattern.exec(pem)?.[1];
  if (body === undefined) return null;
  const request = readElement(Buffer.from(body, 'base64'), 0, sequence);
  const [info, algorithm, signature] = request === null ? [] : childrenOf(request);
  if (info === undefined || algorithm === undefined || signature === undefined) return null;
  const [version, subject, key] = childrenOf(info);
  const [oid] = childrenOf(algorithm);
  if (version === undefined || subject === undefined || oid === undefined) return null;
  if (key === undefined || signature.tag !== bitString || signature.content.length < 2) return null;
  const bits = signature.content.subarray(1);
  const isSigned = isSignedBy(key.whole, info.whole, oid.content.toString('hex'), bits);
  return { publicKey: key.whole, isSigned };
}

/** Object identifiers, as they are in DER, of the ways of signing that AWS IoT accepts. */
const digests: Readonly<Record<string, string>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
};

function isSignedBy(key: Buffer, data: Buffer, oid: string, signature: Buffer): boolean {
  const digest = digests[oid];
  if (digest === undefined) return false;
  try {
    const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
    return verify(digest, data, publicKey, signature);
  } catch {
    return false;
  }
}

type Element = {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and length. */
  readonly whole: Buffer;
};

const sequence = 0x30;
const bitString = 0x03;

function readElement(bytes: Buffer, start: number, wantedTag: number | null): Element | null {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) return null;
  if (wantedTag !== null && tag !== wantedTag) return null;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 2 || first === 0x80) return null;
  const head = start + 2 + lengthBytes;
  if (head > bytes.length) return null;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes);
  const end = head + length;
  if (end > bytes.length) return null;
  return { tag, content: bytes.subarray(head, end), whole: bytes.subarray(start, end) };
}

function childrenOf(element: Element): Element[] {
  const children: Element[] = [];
  for (let at = 0; at < element.content.length; ) {
    const child = readElement(element.content, at, null);
    if (child === null) return [];
    children.push(child);
    at += child.whole.length;
  }
  return children;
}
