import { fileAddressSeconds } from '../../core/files/limits.ts';
import type { FileAddress } from '../../core/ports/files.ts';
import { type Endpoint, endpointOf } from '../aws/endpoint.ts';
import { type Credentials, environmentCredentials } from '../aws/environment-credentials.ts';
import { presignedAddress } from '../aws/presigned-address.ts';

/** Addresses that let whoever has one put or get one object of a bucket, without a key. */
export type Signing = {
  /** As a program finds them for whom an address is signed. */
  readonly endpoint?: Endpoint;
  readonly credentials?: Credentials;
};

export type AddressOf = (
  method: 'GET' | 'PUT',
  key: string,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
  query?: Readonly<Record<string, string>>,
) => FileAddress;

/** Addresses in a bucket that are good for an hour, for whoever has one. */
export function addressesIn(bucket: string, signing: Signing): AddressOf {
  return (method, key, headers, nowMs, query = {}) => {
    const { endpoint, path } = placeOf(bucket, key, signing.endpoint);
    const request = { method, path, headers, query, seconds: fileAddressSeconds };
    const credentials = signing.credentials ?? environmentCredentials();
    const url = presignedAddress(request, endpoint, credentials, nowMs);
    return { url, headers, expiresAtMs: nowMs + fileAddressSeconds * 1_000 };
  };
}

/** The store compares what comes with this. */
export function onlyBytesOf(digest: string): Readonly<Record<string, string>> {
  return { 'x-amz-checksum-sha256': Buffer.from(digest, 'hex').toString('base64') };
}

/** On AWS the bucket is a host, at any other address a part of the path. */
function placeOf(
  bucket: string,
  key: string,
  given?: Endpoint,
): { readonly endpoint: Endpoint; readonly path: string } {
  const endpoint = given ?? endpointOf({ service: 's3' }, {});
  if (!/\.amazonaws\.com(\.cn)?$/.test(endpoint.url.hostname)) {
    return { endpoint, path: `/${bucket}/${key}` };
  }
  const url = new URL(endpoint.url);
  url.hostname = `${bucket}.${url.hostname}`;
  return { endpoint: { ...endpoint, url }, path: `/${key}` };
}
