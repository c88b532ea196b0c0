/** Answers in the forms that AWS's protocols use: JSON with `__type`, REST-JSON, XML. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { escapeXml, type XmlValue, xmlOf } from './xml.ts';

export function sendJson(res: ServerResponse, status: number, body: unknown, type = '1.0'): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': `application/x-amz-json-${type}`,
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': randomUUID(),
  });
  res.end(text);
}

/** JSON protocols (DynamoDB, SQS, Secrets Manager): the error's name is in the body. */
export function sendJsonError(
  res: ServerResponse,
  status: number,
  type: string,
  message: string,
  version?: string,
): void {
  sendJson(res, status, { __type: type, message, Message: message }, version);
}

/** An answer of the REST-JSON protocol. */
export function sendRestJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': randomUUID(),
  });
  res.end(text);
}

/** REST-JSON protocols (Lambda, IoT): the error's name is in a header. */
export function sendRestError(
  res: ServerResponse,
  status: number,
  type: string,
  message: string,
  rest: Record<string, string> = {},
): void {
  const text = JSON.stringify({ Message: message, message, ...rest });
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': randomUUID(),
    'x-amzn-errortype': type,
  });
  res.end(text);
}

/** S3's errors. */
export function sendS3Error(
  res: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  sendXml(
    res,
    status,
    `<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message>` +
      `<RequestId>${randomUUID()}</RequestId></Error>`,
  );
}

/** Errors of the query protocol (STS, SNS). */
export function sendQueryError(
  res: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  sendXml(
    res,
    status,
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code>` +
      `<Message>${escapeXml(message)}</Message></Error>` +
      `<RequestId>${randomUUID()}</RequestId></ErrorResponse>`,
  );
}

/** An answer of the query protocol. */
export function sendQueryAnswer(
  res: ServerResponse,
  namespace: string,
  operation: string,
  result: { readonly [name: string]: XmlValue },
): void {
  const answer =
    xmlOf(`${operation}Result`, result) + xmlOf('ResponseMetadata', { RequestId: randomUUID() });
  const name = `${operation}Response`;
  sendXml(res, 200, `<${name} xmlns="${namespace}">${answer}</${name}>`);
}

export function sendXml(res: ServerResponse, status: number, xml: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
  res.writeHead(status, {
    'content-type': 'text/xml',
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': randomUUID(),
  });
  res.end(text);
}
