import { notFound } from '../../../core/contract/problem.ts';
import type { Answer, Call } from '../http/call.ts';
import { explorerPage, explorerScript, explorerStyle } from './explorer.ts';

/**
 * `GET /docs`: a small page that reads `/openapi.json`, shows every operation and tries it with a
 * token of yours. Nothing of it comes from another host; its policy lets it run only its own script
 * and connect only to this API.
 */
export const getDocs = {
  handle: async (): Promise<Answer> => page('text/html; charset=utf-8', explorerPage),
};

export const getDocsAsset = { handle: asset };

async function asset(call: Call): Promise<Answer> {
  switch (call.params.asset) {
    case 'explorer.js':
      return page('text/javascript; charset=utf-8', explorerScript);
    case 'explorer.css':
      return page('text/css; charset=utf-8', explorerStyle);
    default:
      throw notFound('such part of the explorer');
  }
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function page(type: string, body: string): Answer {
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-security-policy': policy,
      'cache-control': 'public, max-age=300',
    },
    body,
  };
}
