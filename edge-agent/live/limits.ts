/** Bounds of the agent's part in output that is followed; those of both sides: `core/live/`. */

/** Twice a second (`real-work.md` §5): as soon as a person notices, and few requests. */
export const liveSendMs = 500;
/** After a failure of the uplink. */
export const liveAgainMs = 2_000;
