import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EventWakes } from '../../core/ports/fleet-log.ts';
import { clientConfig } from '../aws/client-config.ts';

export function createEventWakes(
  queueUrl: string,
  client: SQSClient = new SQSClient(clientConfig),
): EventWakes {
  return {
    async wake() {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: '{}' }));
    },
  };
}
