import { type OutputStream, outputStreams } from '../../../../core/ports/outputs.ts';
import { badQuery } from '../../http/call.ts';

/** Which of what a chunk prints somebody asks for. */
export function streamOf(text: string | undefined): OutputStream {
  if (text === undefined) return 'stdout';
  const found = outputStreams.find((stream) => stream === text);
  if (found === undefined) throw badQuery('stream', `This is one of ${outputStreams.join(', ')}.`);
  return found;
}
