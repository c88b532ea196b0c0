/**
 * The two unsigned pages by which programs made for LocalStack find out that an endpoint is ready
 * and what it runs (https://docs.localstack.cloud/references/internal-endpoints/). They tell
 * nothing of what is kept here.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { sendRestError, sendRestJson } from './answer.ts';
import { operationOf } from './named-operation.ts';
import type { GatewayRequest } from './request.ts';

const prefix = '/_localstack/';
const edition = 'edgewise-local';

/** True when the request was for one of these pages and is answered. */
export type LocalstackPages = (request: GatewayRequest, res: ServerResponse) => boolean;

export function localstackPages(services: readonly string[], nowMs: () => number): LocalstackPages {
  const version = ownVersion();
  const sessionId = randomUUID();
  const startedAtMs = nowMs();
  const states = Object.fromEntries([...services].sort().map((name) => [name, 'running']));
  const pages: Readonly<Record<string, () => object>> = {
    health: () => ({ services: states, edition, version }),
    info: () => ({
      version,
      edition,
      is_license_activated: false,
      session_id: sessionId,
      machine_id: edition,
      system: process.platform,
      is_docker: false,
      server_time_utc: new Date(nowMs()).toISOString().slice(0, 19),
      uptime: Math.floor((nowMs() - startedAtMs) / 1_000),
    }),
  };
  return (request, res) => {
    if (!request.path.startsWith(prefix)) return false;
    const page = operationOf(pages, request.path.slice(prefix.length).replace(/\/$/, ''));
    if (page !== undefined && (request.method === 'GET' || request.method === 'HEAD')) {
      sendRestJson(res, 200, page());
    } else {
      const there = Object.keys(pages).map((name) => `GET ${prefix}${name}`);
      const sentence = `Of LocalStack's own pages the local cloud has ${there.join(' and ')}.`;
      sendRestError(res, 404, 'NotFound', sentence);
    }
    return true;
  };
}

function ownVersion(): string {
  const require = createRequire(import.meta.url);
  return (require('../../package.json') as { version: string }).version;
}
