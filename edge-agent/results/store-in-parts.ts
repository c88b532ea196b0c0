import { filePartBytes, filePartsMax, partAddressesMax } from '../../core/files/limits.ts';
import type { PutAddress, UploadAddress } from '../link/control-plane-api.ts';
import { partRoundsBeside } from './limits.ts';

/**
 * A large file to the store, in parts: those that are there need not be sent again, whoever sent
 * them and in whichever life. It is stored when the control plane asks for none.
 */
export async function storeInParts(
  bytes: number,
  ask: () => Promise<UploadAddress | undefined>,
  put: (address: PutAddress, start: number, bytes: number) => Promise<void>,
): Promise<void> {
  const rounds = Math.ceil(filePartsMax / partAddressesMax) + partRoundsBeside;
  for (let round = 0; round < rounds; round++) {
    const { address } = (await ask()) ?? {};
    if (address === undefined) throw new Error('the API does not say where to put a file');
    if (address === null) return;
    if (!('parts' in address)) return put(address, 0, bytes);
    const sent = address.parts.map(({ number, ...place }) => {
      const start = (number - 1) * filePartBytes;
      return put(place, start, Math.min(filePartBytes, bytes - start));
    });
    const ends = await Promise.allSettled(sent);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  throw new Error('the store does not keep the parts of a file');
}
