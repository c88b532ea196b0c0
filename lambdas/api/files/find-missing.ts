import { missingBodySchema } from '../../../core/contract/files/file-body.ts';
import { checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { knownFiles } from './fresh-files.ts';
import { poolOfFiles } from './pool-of-files.ts';

/** `POST /v1/files/missing`: which of these have to be sent. */
export const findMissing = defineOperation({
  name: 'findMissing',
  read: (call) => {
    checkQuery(call, []);
    return readBody(call, missingBodySchema);
  },
  run: async (asked, context, deps: Pick<Ports, 'files'>) => {
    const pool = poolOfFiles(context.caller, asked.pool);
    const fresh = await knownFiles(deps.files, pool, asked.sha256, context);
    return [...new Set(asked.sha256)].filter((digest) => !fresh.has(digest));
  },
  answer: (missing) => ({ status: 200, body: { missing } }),
});
