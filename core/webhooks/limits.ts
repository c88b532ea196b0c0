/** Bounds of webhooks (`docs/webhooks.md`). */

/** All are looked at whenever something happens. */
export const webhooksMax = 100;
export const webhookUrlLengthMax = 2_000;
export const webhookSecretLengthMin = 16;
export const webhookSecretLengthMax = 256;
/** Of a secret that is made: as long as half a digest of SHA-256 and more. */
export const webhookSecretRandomBytes = 24;
export const webhookKindsMax = 30;
/** What answers later counts as not received. */
export const deliveryTimeoutMs = 10_000;
/** Of one receiver in one invocation; the next goes on. */
export const deliveryBudgetMs = 40_000;
/** Entries of one request to a bus (quota of EventBridge). */
export const busEntriesMax = 10;
/** Whoever delivers is taken for gone after this: more than an invocation lasts. */
export const deliveryClaimMs = 90_000;
export const receiversAtOnce = 20;
/** The first wait after a failure, doubled up to the longest. */
export const deliveryAgainMs = 15_000;
export const deliveryAgainMsMax = 10 * 60_000;
/** A receiver that has taken nothing for so long is called failing. */
export const failingAfterMs = 86_400_000;
/** Of one job: a stream repeats what it said for a day, and a job ends anew when it is retried. */
export const endsRememberedMax = 20;
/** Jobs whose ends are looked for at once. */
export const endsDueMax = 200;
/** What was received is remembered so long, for streams that repeat it; what waits, for longer. */
export const endNoticeKeptMs = 2 * 86_400_000;
/** Others who add ends of the same job at the same time; each makes the next try succeed. */
export const endAddTriesMax = 5;
/** What is notified of a failure. */
export const deliveryErrorLengthMax = 200;
/** Names that a name server gives at most; more are not looked at. */
export const addressesMax = 50;
