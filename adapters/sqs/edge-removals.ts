import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EdgeRemovals } from '../../core/ports/timers.ts';
import { clientConfig } from '../aws/client-config.ts';

export function createEdgeRemovals(
  queueUrl: string,
  client: SQSClient = new SQSClient(clientConfig),
): EdgeRemovals {
  return {
    async lookAt(edge, tries, delaySeconds) {
      const MessageBody = JSON.stringify({ edge, tries });
      const input = { QueueUrl: queueUrl, MessageBody, DelaySeconds: delaySeconds };
      await client.send(new SendMessageCommand(input));
    },
  };
}
