import { readFileSync } from 'node:fs';
import { openApiDocument } from '../../core/contract/openapi/openapi-document.ts';

/** The OpenAPI document of this version, as a file that generators read without a running API. */
export function openApiFile(): string {
  const ours = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(ours, 'utf8')) as { version: string };
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}
