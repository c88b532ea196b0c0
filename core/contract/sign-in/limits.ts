/** Bounds of what an issuer says to a device. */

/** To enter the code: RFC 8628 leaves it to the issuer, usual are five to thirty minutes. */
export const deviceGrantMsMax = 1_800_000;
/** Between two questions, when the issuer names no other time (RFC 8628, 3.2). */
export const devicePollMsDefault = 5_000;
export const devicePollMsMax = 60_000;
/** What is added by "slow down" (RFC 8628, 3.5). */
export const deviceSlowerMs = 5_000;
/** A person has to type it; eight characters are usual. */
export const userCodeLengthMax = 64;
/** Of the sentence in which an issuer says why not. */
export const issuerReasonLengthMax = 200;
