import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Signing requests as edges make them, written in DER by hand. */
export type EdgeKey = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

export function makeKey(): EdgeKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

export function signingRequest(key: EdgeKey, signer: EdgeKey = key): string {
  const spki = key.publicKey.export({ type: 'spki', format: 'der' });
  const name = der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('edge')));
  const subject = der(0x30, der(0x31, name));
  const version = Buffer.from([0x02, 0x01, 0x00]);
  const info = der(0x30, version, subject, spki, Buffer.from([0xa0, 0x00]));
  const ecdsaWithSha256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const signature = sign('sha256', info, signer.privateKey);
  const whole = der(0x30, info, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const text = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${text}\n-----END CERTIFICATE REQUEST-----\n`;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
