import { awsAttemptsMax, awsNoAnswerMsMax } from '../../core/model/limits.ts';
import type { Credentials } from './environment-credentials.ts';

/**
 * What a client is made with: the part of the SDK's configuration that what stands in for it
 * honours, too. Adapters that hand over no more behave alike on both.
 */
export type ClientConfig = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: Credentials;
  readonly maxAttempts?: number;
  readonly requestHandler?: {
    readonly connectionTimeout?: number;
    /** How long a connection may go without an answer, before it is made as well as after. */
    readonly socketTimeout?: number;
  };
};

/**
 * Of every client that a function keeps for its life. The SDK keeps as many connections as
 * `awsSocketsMax` by itself.
 */
export const clientConfig: ClientConfig = {
  maxAttempts: awsAttemptsMax,
  requestHandler: { connectionTimeout: awsNoAnswerMsMax, socketTimeout: awsNoAnswerMsMax },
};
