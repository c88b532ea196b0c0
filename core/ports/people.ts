import type { UserCaller } from '../model/caller.ts';

/** Those who sign in elsewhere: what the token of an issuer says of its holder, if it is good. */
export type People = { find(token: string, nowMs: number): Promise<UserCaller | null> };
