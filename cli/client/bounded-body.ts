import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';

/** The body of an answer, when it is no larger than ours may be. */
export async function readBounded(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw new Failure(exitCode.failure, `The answer is larger than ${bytesMax} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
