import { digestPattern } from '../../../core/files/manifest.ts';
import { type Call, checkQuery } from '../http/call.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { noSuchFile } from './pool-of-files.ts';
import { readableFiles } from './readable-files.ts';

type Asked = {
  readonly digest: string;
  readonly pool: string | undefined;
  readonly job: string | undefined;
};

/** `GET /v1/files/{sha256}`: the address where it can be read. */
export const getFile = defineOperation({
  name: 'getFile',
  read,
  run: async (asked: Asked, context, deps: Pick<Ports, 'jobs' | 'files'>) => {
    const pool = await poolThatHas(asked, context, deps);
    return deps.files.downloadAddress(pool, asked.digest, context.nowMs).url;
  },
  answer: (location) => ({ status: 302, headers: { location } }),
});

/** `HEAD /v1/files/{sha256}`: whether it is there. */
export const headFile = defineOperation({
  name: 'headFile',
  read,
  run: poolThatHas,
  answer: () => ({ status: 200 }),
});

function read(call: Call): Asked {
  checkQuery(call, ['pool', 'job']);
  const digest = call.params.sha256 ?? '';
  if (!digestPattern.test(digest)) throw noSuchFile(digest.slice(0, 64));
  return { digest, pool: call.query.pool, job: call.query.job };
}

async function poolThatHas(
  { digest, ...asked }: Asked,
  { caller }: Context,
  deps: Pick<Ports, 'jobs' | 'files'>,
): Promise<string> {
  const readable = await readableFiles(caller, asked, deps);
  if (!readable.has(digest)) throw noSuchFile(digest);
  if ((await deps.files.find(readable.pool, digest)) === null) throw noSuchFile(digest);
  return readable.pool;
}
