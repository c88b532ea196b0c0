import { basename, dirname, join } from 'node:path';
import { outputHeadBytesMax, outputTailBytesMax } from '../../core/model/limits.ts';
import { keptTextOf } from '../disk/kept-text.ts';
import { readFileEnds } from '../disk/text-tail.ts';
import {
  type ControlPlaneApi,
  ControlPlaneError,
  type OutputPlace,
} from '../link/control-plane-api.ts';
import { putFile } from './put-file.ts';
import { digestFile, sendFile } from './read-file.ts';

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
  const { sha256, bytes } = await digestFile(root, name, null);
  const [found] = await api.storeResults(secret, place.job, [{ sha256, bytes }]);
  if (found === undefined) throw new Error('the API does not say where to put an output');
  if (found.address !== null) {
    const read = (take: (piece: Buffer) => Promise<void>) => sendFile(root, name, bytes, take);
    const status = await putFile({ ...found.address, bytes, read }, signal);
    if (status !== 200)
      throw new ControlPlaneError(`the store answers ${status}`, null, 'no-answer', null);
  }
  const ends = readFileEnds(join(root, name), outputHeadBytesMax, outputTailBytesMax);
  const kept = ends === null ? null : keptTextOf(ends);
  if (kept === null) return;
  await api.putOutput(
    secret,
    { ...place, total: kept.total, head: kept.head, whole: sha256 },
    kept.bytes,
  );
}
