import type { Readable } from 'node:stream';

/** What a template says about one Lambda function, resolved. */
export type FunctionDefinition = {
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  readonly codeDir: string;
  readonly handler: string;
  readonly runtime: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Executions at once; undefined when the template reserves none. */
  readonly concurrencyReserved: number | undefined;
  /** The sum of the maximum concurrency of the queues it reads; undefined when none says one. */
  readonly concurrencyOfQueues?: number;
  readonly logGroup: string;
  readonly logFormat: 'Text' | 'JSON';
  /** Where asynchronous invocations go that failed finally. */
  readonly deadLetterArn: string | undefined;
};

/** An answer that goes on while it is read. */
export type StreamedAnswer = { readonly contentType: string; readonly body: Readable };

/** What one invocation may ask for besides its payload. */
export type InvokeOptions = {
  /** The request's id, which the function sees as `awsRequestId`. */
  readonly requestId?: string;
  /** JSON for the function's `context.clientContext`. */
  readonly clientContext?: string;
  /** True: the outcome carries the end of the execution's log. */
  readonly wantsLog?: boolean;
  /** Takes the answer of a function that streams it, which is then none of the outcome. */
  readonly onStream?: (answer: StreamedAnswer) => void;
};

/** What became of one invocation. `payload` of a failure is AWS's error document. */
export type InvocationOutcome =
  | { kind: 'ok'; payload: Buffer; log?: string }
  | { kind: 'failed'; payload: Buffer; log?: string }
  | { kind: 'throttled'; reason: string };

/** AWS's error document for failures that the platform notices. */
export function errorDocument(errorType: string, errorMessage: string): Buffer {
  return Buffer.from(JSON.stringify({ errorType, errorMessage }));
}
