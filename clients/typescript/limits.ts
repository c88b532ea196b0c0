/** Bounds of the client; those of the system are the API's. */

/** One request, answer included. The API's own limit is 29 seconds. */
export const requestMsMax = 30_000;
/** A part of a file, at a megabit a second. */
export const putMsMax = 600_000;
/** First try and repetitions together. */
export const attemptsMax = 5;
export const retryFirstMs = 200;
/** What a `Retry-After` may make us wait; a longer one is passed on to the caller. */
export const retryAfterMsMax = 20_000;
/** While something is waited for it is asked for after this, then ever less often. */
export const pollFirstMs = 100;
export const pollMsMax = 2_000;
/** A wait that is over within this asks for no events: a request that waits occupies a function. */
export const liveAfterMs = 5_000;
/** One request that waits for events, as long as the API lets it. */
export const liveSecondsMax = 25;
/** The same, of a wait that is to say how the job goes: chunks that end are no events. */
export const lookSecondsMax = 5;
/** What answers with nothing before this part of the time has passed does not wait. */
export const liveAnswerShare = 0.5;
/** What a chunk printed may come this much later than the news that it has ended. */
export const outputMsMax = 15_000;
/** Items of one page. */
export const pageLimitMax = 500;
/** What is larger is sent in parts of this size: `filePartBytes` of the API. */
export const filePartBytes = 67_108_864;
/** Addresses of 800 parts, a hundred in an answer, and some that are asked for again. */
export const partRoundsMax = 12;
/** Of one request for addresses: `fileAddressesMax` of the API. */
export const filesPerRequestMax = 500;
