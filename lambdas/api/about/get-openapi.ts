import { openApiDocument } from '../../../core/contract/openapi/openapi-document.ts';
import type { Answer } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import { version } from '../http/version.ts';

let kept: { readonly text: string; readonly etag: string } | null = null;

/** `GET /openapi.json`: made from the schemas that validate, once per process. */
export const getOpenApi = { handle };

async function handle(): Promise<Answer> {
  if (kept === null) {
    const document = openApiDocument(version);
    kept = { text: JSON.stringify(document), etag: etagOf(1, document) };
  }
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      etag: kept.etag,
    },
    body: kept.text,
  };
}
