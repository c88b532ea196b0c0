/** Answers of the two REST-JSON services, as the SDKs read them. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../json.ts';

/** A refusal with the name that SDKs turn into an exception. */
export class ServiceError extends Error {
  readonly type: string;
  readonly status: number;
  readonly fields: JsonObject;
  constructor(status: number, type: string, message: string, fields: JsonObject = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.fields = fields;
  }
}

export const notFound = (message: string, fields?: JsonObject): ServiceError =>
  new ServiceError(404, 'ResourceNotFoundException', message, fields);

export const invalid = (message: string): ServiceError =>
  new ServiceError(400, 'InvalidRequestException', message);

export function answer(
  res: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
    ...headers,
  });
  res.end(bytes);
}

/** Runs an operation; what it throws that is no refusal is the service's own failure. */
export async function answering(
  res: ServerResponse,
  log: (line: string) => void,
  operation: () => Promise<JsonObject> | JsonObject,
): Promise<void> {
  try {
    answer(res, 200, await operation());
  } catch (error) {
    const known = error instanceof ServiceError;
    if (!known) log(`IoT: an operation failed: ${String(error)}`);
    const refused = known
      ? error
      : new ServiceError(500, 'InternalFailureException', 'Internal service failure');
    answer(
      res,
      refused.status,
      { ...refused.fields, message: refused.message },
      {
        'x-amzn-errortype': refused.type,
      },
    );
  }
}
