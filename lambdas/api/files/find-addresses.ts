import {
  type AddressesAnswer,
  addressesBodySchema,
} from '../../../core/contract/files/file-body.ts';
import { fileLooksAtOnce } from '../../../core/files/limits.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { readableFiles } from './readable-files.ts';

/**
 * `POST /v1/files/addresses`: where each of these can be read for an hour. One that the caller may
 * not see is missing, like one that is not there.
 */
export const findAddresses = defineOperation({
  name: 'findAddresses',
  read: (call) => {
    checkQuery(call, []);
    return readBody(call, addressesBodySchema);
  },
  run: async (asked, { caller, nowMs }, deps: Pick<Ports, 'jobs' | 'files'>) => {
    const readable = await readableFiles(caller, asked, deps);
    const present = new Set<string>();
    const digests = [...new Set(asked.sha256)];
    const seen = digests.filter((digest) => readable.has(digest));
    await forEachLimited(seen, fileLooksAtOnce, async (digest) => {
      if ((await deps.files.find(readable.pool, digest)) !== null) present.add(digest);
    });
    const items = digests
      .filter((digest) => present.has(digest))
      .map((sha256) => {
        const address = deps.files.downloadAddress(readable.pool, sha256, nowMs);
        return { sha256, url: address.url, expiresAt: timeOf(address.expiresAtMs) };
      });
    const missing = digests.filter((digest) => !present.has(digest));
    return { items, missing } satisfies AddressesAnswer;
  },
  answer: (body) => ({ status: 200, body }),
});

const timeOf = (atMs: number): string => new Date(atMs).toISOString();
