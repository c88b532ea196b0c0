/**
 * Every bound of the local IoT service, with the AWS quota it copies beside it.
 * Names of quotas are those of the "AWS IoT Core endpoints and quotas" page.
 */

/** "Maximum size of a JSON state document: 8 KB"; metadata does not count. */
export const shadowDocumentBytesMax = 8 * 1024;
/** "Maximum depth of JSON device state documents: 8" levels of the desired or reported section. */
export const shadowDepthMax = 8;
/** "The client token can be no longer than 64 bytes." */
export const clientTokenBytesMax = 64;
/** "Requests per second per device shadow: 20". */
export const shadowRequestsPerSecondMax = 20;
/** "up to 10 in-flight unacknowledged messages per thing" on one connection, then 429. */
export const shadowInFlightMax = 10;
/** "the version number of the new document will follow that of the deleted one" for 48 hours. */
export const shadowTombstoneMs = 48 * 60 * 60 * 1000;
/** "Maximum shadow name size: 64 bytes". */
export const shadowNamePattern = /^[$a-zA-Z0-9:_-]{1,64}$/;
/** "Maximum thing name size: 128 bytes". */
export const thingNamePattern = /^[a-zA-Z0-9:_-]{1,128}$/;
/** "Things without a thing type can have up to three attributes." */
export const thingAttributesMax = 3;
/** "Maximum length of 128. Pattern: [a-zA-Z0-9_.,@/:#-]+" */
export const attributeNamePattern = /^[a-zA-Z0-9_.,@/:#-]{1,128}$/;
/** "Maximum length of 800. Pattern: [a-zA-Z0-9_.,@/:#=\\[\\]-]*" */
export const attributeValuePattern = /^[a-zA-Z0-9_.,@/:#=[\]-]{0,800}$/;
/** ListNamedShadowsForThing: pageSize is 1 to 100. */
export const shadowPageMax = 100;
export const shadowPageDefault = 25;

/** "Maximum message size: 128 KB". */
export const payloadBytesMax = 128 * 1024;
/** "Topic size: no more than 256 bytes of UTF-8 encoded characters". */
export const topicBytesMax = 256;
/** "limited to 7 forward slashes", without the three of `$aws/rules/rule-name/`. */
export const topicSlashesMax = 7;
/** "Maximum subscriptions per subscribe request: 8". */
export const filtersPerSubscribeMax = 8;
/** "Subscriptions per connection: 50". */
export const subscriptionsPerConnectionMax = 50;
/** "Client ID size: 128 bytes of UTF-8 encoded characters". */
export const clientIdBytesMax = 128;
/** "Publish requests per second per connection: 100" inbound; the excess is discarded. */
export const publishesPerSecondMax = 100;
/** "the keep-alive interval is 30 to 1200 seconds"; 0 and larger values count as 1200. */
export const keepAliveSecondsMax = 1200;
export const keepAliveSecondsMin = 30;
/** MQTT 5: "AWS IoT Core has a default limit of 8 topic aliases." */
export const topicAliasMax = 8;
/** Local: how long a connection may wait before its first packet. */
export const firstPacketMs = 30_000;
/** "If a client is not connected for approximately one hour, the version number is reset to 0." */
export const presenceVersionResetMs = 60 * 60 * 1000;
/** "The default persistent session expiry is one hour." */
export const sessionExpiryMs = 60 * 60 * 1000;
/** "sent to the client at a maximum rate of 10 messages per second" after a reconnection. */
export const storedMessagesPerSecondMax = 10;
/** "Queued messages per second per account: 500"; the excess is dropped. */
export const sessionMessagesPerSecondMax = 500;
/** GetConnection: "available for 30 minutes after disconnection". */
export const connectionKnownMs = 30 * 60 * 1000;
/** ListSubscriptions: "Valid range is 1-200. Default value is 20." */
export const subscriptionsPageMax = 200;
export const subscriptionsPageDefault = 20;
/** Local: messages that wait in one session. */
export const sessionMessagesMax = 1_000;
/** Local: sessions whose clients are away; the one that is away longest gives way. */
export const sessionsAwayMax = 1_000;

/** "Actions per rule: 10". */
export const ruleActionsMax = 10;
/** Local: how often a rule action is tried before the error action runs. */
export const deliveryAttemptsMax = 8;
export const deliveryBackoffFirstMs = 50;
export const deliveryBackoffMaxMs = 5_000;
/** Local: rule messages that are delivered at the same time. */
export const deliveriesAtOnceMax = 32;
/** Republish chains end here: a rule that feeds itself is a mistake. */
export const republishDepthMax = 10;

/** Local: remembered policy decisions of one connection. */
export const decisionsPerConnectionMax = 64;
