import { createJsonCalls, type JsonCalls } from '../aws/json-calls.ts';

/** Asks for another look at an edge that is on its way out. */
export type EdgeRemovals = {
  lookAt(edge: string, tries: number, delaySeconds: number): Promise<void>;
};

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
