import type { EdgeRemovals } from '../../core/ports/timers.ts';
import { createJsonCalls, type JsonCalls } from '../aws/json-calls.ts';

export function createEdgeRemovals(
  queueUrl: string,
  calls: JsonCalls = createJsonCalls('sqs'),
): EdgeRemovals {
  return {
    async lookAt(edge, tries, delaySeconds) {
      await calls.call('SendMessage', {
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify({ edge, tries }),
        DelaySeconds: delaySeconds,
      });
    },
  };
}
