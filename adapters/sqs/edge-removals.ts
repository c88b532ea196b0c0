import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

/** Asks for another look at an edge that is on its way out. */
export type EdgeRemovals = {
  lookAt(edge: string, tries: number, delaySeconds: number): Promise<void>;
};

export function createEdgeRemovals(queueUrl: string, client = new SQSClient({})): EdgeRemovals {
  return {
    async lookAt(edge, tries, delaySeconds) {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify({ edge, tries }),
          DelaySeconds: delaySeconds,
        }),
      );
    },
  };
}
