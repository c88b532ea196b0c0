import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../core/protocol/json.ts';
import { readJson, writeDurably } from '../disk/data-directory.ts';
import { renewAtLifeLeft } from '../limits.ts';
import { makePrivateKey } from './signing-request.ts';

/**
 * Who an edge is: its name, the credentials the control plane gave it, and the key that it made
 * itself.
 */
export type Identity = {
  readonly edge: string;
  /** Its name on the broker: the same, unless the stage of its control plane is part of it. */
  readonly thing: string;
  /** Public id of the credential. */
  readonly token: string;
  readonly secret: string;
  /** `host` or `host:port`; `null` for an edge that only speaks HTTP. */
  readonly mqttEndpoint: string | null;
  readonly certificate: string | null;
  readonly caCertificate: string | null;
  /** The pool it was enrolled in; `null` where an older agent did not write it down. */
  readonly pool: string | null;
  readonly keyPem: string;
};

export function loadIdentity(directory: string): Identity | null {
  const value = readJson(join(directory, 'identity.json'));
  if (!isRecord(value) || typeof value.edge !== 'string' || typeof value.secret !== 'string') {
    return null;
  }
  let keyPem: string;
  try {
    keyPem = readFileSync(join(directory, 'key.pem'), 'utf8');
  } catch {
    return null;
  }
  return { ...identityOf(value, value.edge), secret: value.secret, keyPem };
}

/** The private key, made on first use and kept before anybody hears of it. */
export function loadOrMakeKey(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'key.pem');
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const keyPem = makePrivateKey();
    writeDurably(file, keyPem);
    return keyPem;
  }
}

/** The key of the identity goes first: a certificate without its key would be useless. */
export function saveIdentity(directory: string, identity: Identity): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { keyPem, ...rest } = identity;
  writeDurably(join(directory, 'key.pem'), keyPem);
  writeDurably(join(directory, 'identity.json'), `${JSON.stringify(rest, null, 2)}\n`);
}

/** The control plane's answer to an enrolment, or `null` when it is not one. */
export function parseEnrolment(value: unknown, edge: string, keyPem: string): Identity | null {
  if (!isRecord(value) || typeof value.secret !== 'string') return null;
  const record = isRecord(value.edge) ? value.edge : {};
  const flat = { ...value, pool: record.pool };
  return { ...identityOf(flat, edge), secret: value.secret, keyPem };
}

function identityOf(
  value: Record<string, unknown>,
  edge: string,
): Omit<Identity, 'secret' | 'keyPem'> {
  const text = (key: string): string | null => {
    const found = value[key];
    return typeof found === 'string' && found !== '' ? found : null;
  };
  return {
    edge,
    thing: text('thing') ?? edge,
    token: text('token') ?? '',
    mqttEndpoint: text('mqttEndpoint'),
    certificate: text('certificate'),
    caCertificate: text('caCertificate'),
    pool: text('pool'),
  };
}

/** When a certificate has to be renewed, or `null` when it cannot be read. */
export function renewalAtMs(certificatePem: string): number | null {
  try {
    const certificate = new X509Certificate(certificatePem);
    const fromMs = Date.parse(certificate.validFrom);
    const toMs = Date.parse(certificate.validTo);
    if (!Number.isFinite(fromMs) || !Number.isFinite(toMs)) return null;
    return toMs - (toMs - fromMs) * renewAtLifeLeft;
  } catch {
    return null;
  }
}
