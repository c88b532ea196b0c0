/**
 * Deleting with a receipt handle whose visibility timeout has run out: as long as nobody received
 * the message again, SQS deletes it. The stand-in forgets such handles, so the last of them are
 * remembered here.
 */
import { lateHandlesMax } from '../../limits.ts';
import type { QueueStore } from '../queues-and-buckets.ts';

export type LateDeletes = {
  received(messages: readonly { MessageId: string; ReceiptHandle: string }[]): void;
  /** Deletes the message of this handle when it is visible again. */
  remove(queue: Queue | undefined, handle: string): void;
};

type Queue = NonNullable<ReturnType<QueueStore['getQueueByName']>>;

export function lateDeletes(): LateDeletes {
  const messageIds = new Map<string, string>();
  return {
    received: (messages) => {
      for (const { MessageId, ReceiptHandle } of messages) {
        messageIds.set(ReceiptHandle, MessageId);
        const oldest = messageIds.keys().next().value;
        if (messageIds.size > lateHandlesMax && oldest !== undefined) messageIds.delete(oldest);
      }
    },
    remove: (queue, handle) => {
      const messageId = messageIds.get(handle);
      messageIds.delete(handle);
      if (queue === undefined || messageId === undefined || queue.isFifo()) return;
      queue.processTimers();
      const at = queue.messages.findIndex((message) => message.messageId === messageId);
      if (queue.inflightMessages.has(handle) || at < 0) return;
      queue.messages.splice(at, 1);
      queue.persistence?.deleteMessage(messageId);
    },
  };
}
