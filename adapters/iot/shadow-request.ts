import type { SignedRequest } from '../aws/signed-client.ts';

/** A request for one named shadow of an edge, as the data plane of IoT Core takes it. */
export function shadowRequest(
  method: SignedRequest['method'],
  edge: string,
  name: string,
  body: string,
): SignedRequest {
  const path = `/things/${encodeURIComponent(edge)}/shadow`;
  return { method, path, query: { name }, body };
}
