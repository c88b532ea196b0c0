/** SNS: asks the caller's role, then hands the request to the stand-in. */

import { sendQueryError } from '../../engine/gateway/answer.ts';
import { fromTemplate, type GatewayService, type Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { QueuesAndBuckets } from '../queues-and-buckets.ts';
import { plain } from '../sqs/gateway.ts';

const offer: Offer = {
  operations: [
    ...['CreateTopic', 'DeleteTopic', 'ListTopics', 'GetTopicAttributes', 'SetTopicAttributes'],
    ...['Subscribe', 'ConfirmSubscription', 'Unsubscribe', 'ListSubscriptions'],
    ...['ListSubscriptionsByTopic', 'GetSubscriptionAttributes', 'SetSubscriptionAttributes'],
    ...['Publish', 'PublishBatch', 'TagResource', 'UntagResource', 'ListTagsForResource'],
  ],
  instead: fromTemplate,
};

export function snsService(roles: RoleBook, standIn: QueuesAndBuckets): GatewayService {
  return {
    ...offer,
    targets: [],
    handle: async (request, res) => {
      const form = new URLSearchParams(request.body.toString());
      const operation = (form.get('Action') ?? '').replace(/Batch$/, '');
      const resource = form.get('TopicArn') ?? form.get('TargetArn') ?? '*';
      const access = { action: `sns:${operation}`, resource };
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) return sendQueryError(res, 403, 'AuthorizationError', sentence);
      const answer = await standIn.handle({
        method: 'POST',
        url: '/',
        headers: request.message.headers,
        body: request.body,
      });
      if (answer.status === 400 && answer.body.includes('<Code>InvalidAction</Code>')) {
        return refuseOperation(request, res, offer);
      }
      res.writeHead(answer.status, plain(answer.headers));
      res.end(answer.body);
    },
  };
}
