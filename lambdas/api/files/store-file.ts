import type * as z from 'zod';
import {
  fileBodySchema,
  type PartsUploadAnswer,
  type UploadAnswer,
  uploadsBodySchema,
} from '../../../core/contract/files/file-body.ts';
import { filesFreshMs } from '../../../core/files/limits.ts';
import { isBound } from '../../../core/model/caller.ts';
import { checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { knownFiles } from './fresh-files.ts';
import { poolOfFiles } from './pool-of-files.ts';
import { storeParts } from './store-parts.ts';

type Wanted = z.output<typeof uploadsBodySchema>;

/**
 * `POST /v1/files`: what is there need not be sent; for the rest an address, at which the store
 * takes the bytes of this digest and no others.
 */
export const storeFile = defineOperation({
  name: 'storeFile',
  read: (call) => {
    checkQuery(call, []);
    return readBody(call, fileBodySchema);
  },
  run: async (
    { sha256, bytes, pool: named, parts },
    context,
    deps: Pick<Ports, 'files'>,
  ): Promise<UploadAnswer | PartsUploadAnswer> => {
    const pool = poolOfFiles(context.caller, named);
    if (parts !== undefined) {
      // Who is bound to clusters does not learn what others stored.
      const freshMs = isBound(context.caller) ? 0 : filesFreshMs;
      const file = { sha256, bytes, sums: parts };
      return storeParts(deps.files, pool, file, { freshMs, nowMs: context.nowMs });
    }
    const [answer] = await uploadsOf({ files: [{ sha256, bytes }], pool }, context, deps);
    return answer!;
  },
  answer: (body) => ({ status: body.present ? 200 : 201, body }),
});

/** `POST /v1/files/uploads`: the same for many. */
export const storeFiles = defineOperation({
  name: 'storeFiles',
  read: (call) => {
    checkQuery(call, []);
    return readBody(call, uploadsBodySchema);
  },
  run: uploadsOf,
  answer: (items) => ({ status: 200, body: { items } }),
});

async function uploadsOf(
  { files, pool: named }: Wanted,
  context: Context,
  deps: Pick<Ports, 'files'>,
): Promise<readonly UploadAnswer[]> {
  const pool = poolOfFiles(context.caller, named);
  const digests = files.map(({ sha256 }) => sha256);
  const fresh = await knownFiles(deps.files, pool, digests, context);
  return digests.map((sha256) => {
    if (fresh.has(sha256)) return { sha256, present: true };
    const { url, headers, expiresAtMs } = deps.files.uploadAddress(pool, sha256, context.nowMs);
    const expiresAt = new Date(expiresAtMs).toISOString();
    return { sha256, present: false, uploadUrl: url, headers: { ...headers }, expiresAt };
  });
}
