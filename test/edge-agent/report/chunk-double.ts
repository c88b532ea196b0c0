import { chunksOf, emptyRanges, parseRanges } from '../../../core/model/ranges.ts';

/** What the control plane of a test hears and says of single chunks. */

/** As they came, for one chunk alone. */
export type OutputPartDouble = { offset: number; isLast: boolean; bytes: Uint8Array };

export type OutputsDouble = {
  readonly outputs: Map<string, string>;
  readonly outputBytes: Map<string, Uint8Array>;
  readonly outputParts: OutputPartDouble[];
  /** Digests of those that are kept whole. */
  readonly wholeOutputs: Map<string, string>;
};

/** An output as a whole, or a part of one while it is followed. */
export function takeOutput(
  into: OutputsDouble,
  chunk: string,
  query: URLSearchParams,
  bytes: Buffer,
): void {
  const offset = query.get('offset');
  const stream = query.get('stream');
  if (offset === null) {
    const name = stream === null ? chunk : `${chunk}/${stream}`;
    into.outputs.set(name, bytes.toString());
    into.outputBytes.set(name, bytes);
    const whole = query.get('whole');
    if (whole !== null) into.wholeOutputs.set(name, whole);
  } else {
    into.outputParts.push({ offset: Number(offset), isLast: query.get('last') === 'true', bytes });
  }
}

/** Of the chunks that are asked for, those that there are. */
export function parametersAnswer(sets: readonly object[], query: URLSearchParams): object {
  const asked = parseRanges(query.get('chunks') ?? '') ?? emptyRanges;
  const items = [...chunksOf(asked)].flatMap((chunk) => {
    const params = sets[chunk];
    return params === undefined ? [] : [{ chunk, params }];
  });
  return { items };
}
