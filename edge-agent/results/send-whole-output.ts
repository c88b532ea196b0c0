import { basename, dirname, join } from 'node:path';
import { outputHeadBytesMax, outputTailBytesMax } from '../../core/model/limits.ts';
import { keptTextOf } from '../disk/kept-text.ts';
import { readFileEnds } from '../disk/text-tail.ts';
import {
  type ControlPlaneApi,
  ControlPlaneError,
  type OutputPlace,
} from '../link/control-plane-api.ts';
import { makeLimiter } from '../link/limiter.ts';
import { uploadsAtOnce } from './limits.ts';
import { putFile, type Upload } from './put-file.ts';
import { digestFile, sendFile } from './read-file.ts';
import { storeInParts } from './store-in-parts.ts';

/**
 * An output that is kept whole goes to the store as a result does, in pieces and by what is in it;
 * then the control plane learns that what it has of it are the ends of that. Throws when it is to
 * be tried again.
 */
export async function sendWholeOutput(
  path: string,
  place: OutputPlace,
  {
    api,
    secret,
    signal,
  }: {
    readonly api: Pick<ControlPlaneApi, 'storeResults' | 'putOutput'>;
    readonly secret: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const [root, name] = [dirname(path), basename(path)];
  const { isExecutable: _, ...file } = await digestFile(root, name, null);
  const ask = async () => (await api.storeResults(secret, place.job, [file]))[0];
  const turn = makeLimiter(uploadsAtOnce);
  await storeInParts(file.bytes, ask, (address, start, bytes) =>
    turn(async () => {
      const read: Upload['read'] = (take) => sendFile(root, name, { start, bytes }, take);
      const status = await putFile({ ...address, bytes, read }, signal);
      if (status === 200) return;
      throw new ControlPlaneError(`the store answers ${status}`, null, 'no-answer', null);
    }),
  );
  const ends = readFileEnds(join(root, name), outputHeadBytesMax, outputTailBytesMax);
  const kept = ends === null ? null : keptTextOf(ends);
  if (kept === null) return;
  await api.putOutput(
    secret,
    { ...place, total: kept.total, head: kept.head, whole: file.sha256 },
    kept.bytes,
  );
}
