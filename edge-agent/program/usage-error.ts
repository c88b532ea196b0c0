/** What is wrong with how the agent was started, as a sentence. */
export class UsageError extends Error {}
