/** An address for MQTT over WebSocket, signed by the signer of the official SDK. */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export type Key = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

export type Wish = {
  /** `ws://host:port` or `wss://host:port`. */
  readonly base: string;
  readonly key: Key;
  readonly region: string;
  readonly service?: string;
  readonly path?: string;
  readonly signedAt?: Date;
  /** Signs the session token as well, as other services want it. */
  readonly signsToken?: boolean;
};

export async function presigned(wish: Wish): Promise<string> {
  const { base, key, region, service = 'iotdevicegateway', path = '/mqtt' } = wish;
  const { accessKeyId, secretAccessKey, sessionToken } = key;
  const signs = wish.signsToken === true && sessionToken !== undefined;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(signs ? { sessionToken } : {}) },
    ...{ region, service, sha256: Sha256, uriEscapePath: true },
  });
  const { host, protocol, hostname } = new URL(base);
  const request = { method: 'GET', protocol, hostname, path, headers: { host }, query: {} };
  const signingDate = wish.signedAt ?? new Date();
  const { query = {} } = await signer.presign(request, { signingDate, expiresIn: 86_400 });
  const text = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  if (sessionToken !== undefined && !signs) {
    text.push(`X-Amz-Security-Token=${encodeURIComponent(sessionToken)}`);
  }
  return `${base}${path}?${text.join('&')}`;
}

/** What the signer needs of a hash. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytes(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

const bytes = (data: string | ArrayBuffer | ArrayBufferView): Buffer =>
  typeof data === 'string'
    ? Buffer.from(data)
    : ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
      : Buffer.from(data);
