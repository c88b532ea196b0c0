import { edgeNameOf } from '../../../core/model/names.ts';
import type { LivePart } from '../../../core/ports/live-output.ts';
import { flag, sparse, text, textOrNull, whole } from '../rows/row-values.ts';
import type { Row } from '../table.ts';

/** A part of an output: what is short lies in the row itself, byte for byte. */
export function encodeLivePart(part: LivePart): Readonly<Record<string, unknown>> {
  const { edge, attempt, offset, bytes, key, isMore, isLast } = part;
  const own = part.text === null ? null : Buffer.from(part.text).toString('base64');
  return sparse({ edge, attempt, offset, bytes, text: own, key, more: isMore, last: isLast });
}

export function decodeLivePart(row: Row): LivePart {
  const own = textOrNull(row.text);
  const key = textOrNull(row.key);
  const bytes = whole(row.bytes);
  return {
    edge: edgeNameOf(text(row.edge)),
    attempt: whole(row.attempt),
    offset: whole(row.offset),
    bytes,
    text: key === null ? Buffer.from(own ?? '', 'base64') : null,
    key,
    isMore: flag(row.more),
    isLast: flag(row.last),
  };
}
