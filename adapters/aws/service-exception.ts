/** What is known of an answer besides its body, as the SDK tells it. */
export type AnswerMetadata = { readonly httpStatusCode: number; readonly attempts: number };

/**
 * What a service answered instead of a result, in the SDK's shape: the name is the service's own
 * name for it, and whatever else its body says is beside it, such as the `CancellationReasons` of a
 * transaction.
 */
export class ServiceException extends Error {
  readonly $fault: 'client' | 'server';
  readonly $metadata: AnswerMetadata;

  constructor(name: string, body: Readonly<Record<string, unknown>>, $metadata: AnswerMetadata) {
    const said = body.message ?? body.Message;
    const status = $metadata.httpStatusCode;
    super(typeof said === 'string' ? said : `the service answered ${status}`);
    this.name = name;
    this.$fault = status >= 500 ? 'server' : 'client';
    this.$metadata = $metadata;
    for (const member of Object.keys(body)) {
      if (!(member in this)) Object.defineProperty(this, member, { value: body[member] });
    }
  }
}

/** `com.amazonaws.dynamodb.v20120810#Name` in the body, or `Name:http://…` in a header. */
export function serviceExceptionOf(
  header: string | undefined,
  text: string,
  metadata: AnswerMetadata,
): ServiceException {
  const body = recordOf(text);
  const type = header ?? body.__type ?? body.code;
  const name = typeof type === 'string' ? type.replace(/:.*$/, '').replace(/^.*#/, '') : '';
  return new ServiceException(name === '' ? 'ServiceFailure' : name, body, metadata);
}

function recordOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
