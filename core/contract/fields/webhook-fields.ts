/** Sentences for the fields of webhooks, by their places. */
export const webhookFields: Readonly<Record<string, string>> = {
  ...onEach({
    url: 'Where events are posted to: `https://…`, and nothing of the control plane’s own network.',
    kinds: 'Of which kinds: `job.done`, or `job.*` for all that begin so.',
    pool: 'Only what happens in this pool.',
    job: 'Only what happens to this job.',
    id: 'Its id.',
    secret: 'What deliveries are signed with.',
    createdAt: 'When it was made.',
    createdBy: 'Who made it.',
    nextAt: 'Not before this the present event is sent again.',
    missedBefore: 'Events before this were not sent: they are kept for a day.',
    last: 'What came of the last event that was sent.',
  }),
  'WebhookDelivery.at': 'When it was sent.',
  'WebhookDelivery.event': 'The id of the event.',
  'WebhookDelivery.status': 'What the receiver answered.',
  'WebhookDelivery.error': 'Why there was no answer.',
};

/** What is sent, what is answered, and what is answered once. */
function onEach(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    ['WebhookBody', 'Webhook', 'NewWebhook'].flatMap((schema) =>
      Object.entries(fields).map(([name, words]) => [`${schema}.${name}`, words]),
    ),
  );
}
