/** Puts each new order of the table's stream into the queue of those that are to be packed. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const queues = new SQSClient({});

export async function handler({ Records }) {
  for (const { dynamodb } of Records) {
    const order = { id: dynamodb.NewImage.id.S, goods: dynamodb.NewImage.goods.S };
    const MessageBody = JSON.stringify(order);
    await queues.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE, MessageBody }));
  }
}
