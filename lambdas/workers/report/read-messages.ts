import type { SQSRecord } from 'aws-lambda';
import { type EdgeEvent, leftOutOf, parseEdgeEvent } from '../../../core/protocol/edge-event.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { parseBody } from '../../event-handler.ts';
import type { Log } from '../../log.ts';

export type ReadMessages = {
  readonly ids: readonly string[];
  readonly events: readonly EdgeEvent[];
};

/**
 * What the rules of the broker put into the queue. A message that makes no sense is dropped,
 * because no retry would change it, and what makes no sense inside of one is left out; both are
 * logged, with the edge as its topic names it.
 */
export function readMessages(
  records: readonly Pick<SQSRecord, 'messageId' | 'body'>[],
  edgeOf: (thing: string) => string | null,
  log: Log,
): ReadMessages {
  const ids: string[] = [];
  const events: EdgeEvent[] = [];
  for (const { messageId, body } of records) {
    const message = ofThisStage(parseBody(body), edgeOf);
    const event = parseEdgeEvent(message);
    const { kind, edge, reported } = isRecord(message) ? message : {};
    if (event === null) {
      log.warn('a message that is no event of an edge was dropped', { kind, edge });
      continue;
    }
    const leftOut = leftOutOf(event, reported);
    if (leftOut > 0) log.warn('parts of a message make no sense', { kind, edge, leftOut });
    ids.push(messageId);
    events.push(event);
  }
  return { ids, events };
}

/** The rules give the thing of an edge, as its topic names it. */
function ofThisStage(message: unknown, edgeOf: (thing: string) => string | null): unknown {
  if (!isRecord(message) || typeof message.edge !== 'string') return message;
  return { ...message, edge: edgeOf(message.edge) };
}
