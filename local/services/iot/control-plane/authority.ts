/**
 * The certificate authority of the local cloud: it signs the broker's own certificate, those of
 * edges (from their signing requests) and one for an operator, who may use every topic.
 * Everything is made once and kept in the state directory; keys are readable by the owner only.
 */
import { generateKeyPair, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
// The X.509 library looks its parts up by reflection and wants this before it is loaded.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export type IssuedCertificate = {
  readonly pem: string;
  /** "certificateId": the SHA-256 of the DER certificate, in hexadecimal. */
  readonly id: string;
  readonly subjectCommonName: string;
};

type KeyPairPem = { readonly PublicKey: string; readonly PrivateKey: string };

export type Authority = {
  readonly caPem: string;
  readonly caPath: string;
  readonly server: { readonly certPem: string; readonly keyPem: string };
  readonly operator: {
    readonly certPath: string;
    readonly keyPath: string;
    readonly clientId: string;
    readonly certificateId: string;
  };
  /** Signs a request; throws an Error with a sentence when it is not a valid one. */
  issueFromRequest(requestPem: string): Promise<IssuedCertificate>;
  /** A certificate for a new pair of RSA keys, which is kept nowhere. */
  issueWithKeys(): Promise<IssuedCertificate & { readonly keyPair: KeyPairPem }>;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** "expires at midnight UTC on December 31, 2049", as certificates made by AWS IoT do. */
const expires = new Date('2049-12-31T23:59:59Z');
const operatorClientId = 'operator';

type Pair = { readonly publicKey: webcrypto.CryptoKey; readonly privateKey: webcrypto.CryptoKey };
type Issuer = { readonly subject: string; readonly key: webcrypto.CryptoKey };

const underway = new Map<string, Promise<Authority>>();

/** Idempotent, and safe to call twice at the same time. */
export function ensureAuthority(stateDir: string): Promise<Authority> {
  const known = underway.get(stateDir);
  if (known !== undefined) return known;
  const made = create(stateDir).finally(() => underway.delete(stateDir));
  underway.set(stateDir, made);
  return made;
}

async function create(stateDir: string): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const directory = join(stateDir, 'iot');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const at = (name: string) => join(directory, name);
  const ca = await ensurePair(at('ca'), async () => {
    const keys = await newKeys();
    return { keys, certificate: await selfSigned(keys) };
  });
  const root = new x509.X509Certificate(ca.certPem);
  const issuer: Issuer = { subject: root.subject, key: await importKey(ca.keyPem) };
  const server = await ensurePair(at('server'), async () => {
    const keys = await newKeys();
    return { keys, certificate: await sign(issuer, keys.publicKey, 'CN=localhost', 'server') };
  });
  const operator = await ensurePair(at('operator'), async () => {
    const keys = await newKeys();
    const subject = `CN=${operatorClientId}`;
    return { keys, certificate: await sign(issuer, keys.publicKey, subject, 'client') };
  });
  return {
    caPem: ca.certPem,
    caPath: ca.certPath,
    server,
    operator: {
      certPath: operator.certPath,
      keyPath: operator.keyPath,
      clientId: operatorClientId,
      certificateId: await idOf(new x509.X509Certificate(operator.certPem)),
    },
    issueFromRequest: (requestPem) => issueFromRequest(issuer, requestPem),
    issueWithKeys: () => issueWithKeys(issuer),
  };
}

async function issueFromRequest(issuer: Issuer, requestPem: string): Promise<IssuedCertificate> {
  let request: x509.Pkcs10CertificateRequest;
  try {
    request = new x509.Pkcs10CertificateRequest(requestPem);
  } catch {
    throw new Error('The certificate signing request is not a PEM encoded PKCS #10 request.');
  }
  if (!(await request.verify().catch(() => false))) {
    throw new Error('The signature of the certificate signing request is not valid.');
  }
  const key = await request.publicKey.export();
  const certificate = await sign(
    issuer,
    key,
    request.subject || 'CN=AWS IoT Certificate',
    'client',
  );
  return {
    pem: `${certificate.toString('pem')}\n`,
    id: await idOf(certificate),
    subjectCommonName: request.subjectName.getField('CN')[0] ?? '',
  };
}

async function issueWithKeys(issuer: Issuer) {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const spki = x509.PemConverter.decode(publicKey)[0]!;
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('spki', spki, rsa, true, ['verify']);
  const name = 'AWS IoT Certificate';
  const certificate = await sign(issuer, key, `CN=${name}`, 'client');
  return {
    pem: `${certificate.toString('pem')}\n`,
    id: await idOf(certificate),
    subjectCommonName: name,
    keyPair: { PublicKey: publicKey, PrivateKey: privateKey },
  };
}

const newKeys = (): Promise<Pair> =>
  webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<Pair>;

function selfSigned(keys: Pair): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=Local cloud root CA, O=Local cloud',
    notBefore: yesterday(),
    notAfter: expires,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign |
          x509.KeyUsageFlags.cRLSign |
          x509.KeyUsageFlags.digitalSignature,
        true,
      ),
    ],
  });
}

function sign(
  issuer: Issuer,
  publicKey: webcrypto.CryptoKey,
  subject: string,
  use: 'server' | 'client',
): Promise<x509.X509Certificate> {
  const names = [
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
    { type: 'dns', value: 'localhost' },
  ] as const;
  return x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject,
    issuer: issuer.subject,
    notBefore: yesterday(),
    notAfter: expires,
    signingAlgorithm: algorithm,
    publicKey,
    signingKey: issuer.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        use === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      ...(use === 'server' ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
    ],
  });
}

type StoredPair = {
  readonly certPem: string;
  readonly keyPem: string;
  readonly certPath: string;
  readonly keyPath: string;
};

/** The certificate is put in place last, so a pair that is there is whole. */
async function ensurePair(
  path: string,
  make: () => Promise<{ keys: Pair; certificate: x509.X509Certificate }>,
): Promise<StoredPair> {
  const certPath = `${path}.pem`;
  const keyPath = `${path}.key`;
  if (!existsSync(certPath)) {
    const { keys, certificate } = await make();
    const exported = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    replaceFile(keyPath, x509.PemConverter.encode(exported, 'PRIVATE KEY'), 0o600);
    replaceFile(certPath, certificate.toString('pem'), 0o644);
  }
  const read = (file: string) => readFileSync(file, 'utf8');
  return { certPem: read(certPath), keyPem: read(keyPath), certPath, keyPath };
}

function replaceFile(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${text}\n`, { mode });
  renameSync(draft, path);
}

const importKey = (pem: string): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decode(pem)[0]!, algorithm, true, ['sign']);

const idOf = async (certificate: x509.X509Certificate): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', certificate.rawData)).toString('hex');

/** A leading byte below 0x80 keeps the number positive. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

const yesterday = () => new Date(Date.now() - 24 * 60 * 60 * 1000);
