import type { PartsUploadAnswer } from '../../core/contract/files/file-body.ts';
import { filePartBytes, filePartsMax, partAddressesMax } from '../../core/files/limits.ts';
import type { Api } from '../client/api.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { partRoundsBeside } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { inLanes } from './in-lanes.ts';
import type { FileSource } from './local-input.ts';
import { putFile } from './put-file.ts';

/**
 * Sends a large file in parts, and goes on with those that are there; answers whether anything had
 * to be sent. It is stored when the API asks for no more of it.
 */
export async function uploadParts(
  api: Api,
  terminal: Terminal,
  source: FileSource,
  by: {
    readonly pool: string | undefined;
    readonly moved: (bytes: number) => void;
    /** So much need not be sent. */
    readonly isThere: (bytes: number) => void;
  },
): Promise<boolean> {
  const { sha256, bytes, parts, name, from } = source;
  const body = { sha256, bytes, parts, ...(by.pool === undefined ? {} : { pool: by.pool }) };
  const sizeOf = (number: number): number =>
    Math.min(filePartBytes, bytes - (number - 1) * filePartBytes);
  let known = 0;
  const roundsMax = Math.ceil(filePartsMax / partAddressesMax) + partRoundsBeside;
  for (let round = 0; round < roundsMax; round++) {
    const answer = await api.ask<PartsUploadAnswer>('POST', '/v1/files', { body });
    const missing = answer.body.present ? [] : answer.body.parts;
    // What the first addresses leave out up to the last of them is there, or all of the rest.
    const isAll = missing.length < partAddressesMax;
    const last = isAll ? (parts?.length ?? 0) : (missing.at(-1)?.number ?? 0);
    const asked = new Set(missing.map(({ number }) => number));
    for (let number = known + 1; number <= last; number++) {
      if (!asked.has(number)) by.isThere(sizeOf(number));
    }
    known = Math.max(known, last);
    if (answer.body.present) return round > 0;
    await inLanes(missing, (part) => {
      const start = (part.number - 1) * filePartBytes;
      return putFile(terminal, part, { name, from, start, bytes: sizeOf(part.number) }, by.moved);
    });
  }
  const sentence = `${name} could not be sent: the store does not keep its parts.`;
  throw new Failure(exitCode.failure, sentence, 'What was sent stays; submit again to go on.');
}
