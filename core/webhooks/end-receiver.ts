/** Whom a job's own body names to be notified of its end, and what that is signed with. */
export type EndReceiver = { readonly url: string; readonly secret: string };
