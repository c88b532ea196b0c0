/** What a service answered instead of a result. Its name is the service's own name for it. */
export class AwsError extends Error {
  readonly status: number;
  /** The body of the answer, which says more in some cases. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(name: string, status: number, details: Readonly<Record<string, unknown>>) {
    const said = details.message ?? details.Message;
    super(typeof said === 'string' ? said : `the service answered ${status}`);
    this.name = name;
    this.status = status;
    this.details = details;
  }
}

/** `com.amazonaws.dynamodb.v20120810#Name` in the body, or `Name:http://…` in a header. */
export function awsErrorOf(status: number, header: string | undefined, body: string): AwsError {
  const details = recordOf(body);
  const type = header ?? details.__type ?? details.code;
  const name = typeof type === 'string' ? type.replace(/:.*$/, '').replace(/^.*#/, '') : '';
  return new AwsError(name === '' ? 'ServiceFailure' : name, status, details);
}

function recordOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
