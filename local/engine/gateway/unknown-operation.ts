/**
 * The answer to what is not there: an operation, or a whole service. It has the shape of an error
 * of the client's own protocol, so that every client shows its sentence, and the sentence says what
 * was asked for, what there is of it, and what does the same here.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sendJsonError, sendQueryError, sendRestError, sendS3Error, sendXml } from './answer.ts';
import { cborText } from './cbor.ts';
import type { GatewayRequest } from './request.ts';
import type { Offer } from './service.ts';
import { xmlOf } from './xml.ts';

/** `operation`: undefined when only its method and path are known. */
export function refuseOperation(
  request: GatewayRequest,
  res: ServerResponse,
  offer: Offer,
  operation = operationOf(request),
): void {
  const name = serviceOf(request);
  refuse(
    request,
    res,
    `The local cloud runs the service ${name}, but not its operation ${operation}; of ${name} ` +
      `there are ${listed(offer.operations)}. ${offer.instead}`,
  );
}

export function refuseService(
  request: GatewayRequest,
  res: ServerResponse,
  services: readonly string[],
): void {
  const name = serviceOf(request);
  const instead = insteadOfService.get(name);
  refuse(
    request,
    res,
    `The local cloud does not run the service ${name} (${operationOf(request)}); it runs ` +
      `${listed([...services].sort())}.${instead === undefined ? '' : ` ${instead}`}`,
  );
}

/** Services that templates use and that are no address here, with what there is in their place. */
const insteadOfService: ReadonlyMap<string, string> = new Map([
  ['cloudfront', 'Distributions of the template are served: the outputs have their addresses.'],
  ['ecr', 'Functions run from the folders of their assets.'],
  [
    'iam',
    'Roles and policies come from the template; iam-report.json says what they were used for.',
  ],
  ['monitoring', 'Alarms of the template are evaluated; logs/alarms.log has their changes.'],
  ['scheduler', 'Schedules of the template fire by themselves.'],
  ['ssm', 'Assets are read from the folder of the synthesized app, without a bootstrap stack.'],
]);

const serviceOf = (request: GatewayRequest): string => request.service ?? 'of this request';

const listed = (names: readonly string[]): string => names.join(', ');

function operationOf(request: GatewayRequest): string {
  if (request.target !== '') return request.target.slice(request.target.lastIndexOf('.') + 1);
  const inPath = /\/operation\/(\w+)$/.exec(request.path)?.[1];
  if (inPath !== undefined) return inPath;
  const inForm = isForm(request)
    ? new URLSearchParams(request.body.toString()).get('Action')
    : null;
  return inForm ?? request.query.get('Action') ?? `${request.method} ${request.path}`;
}

const contentType = (request: GatewayRequest): string =>
  String(request.message.headers['content-type'] ?? '');

const isForm = (request: GatewayRequest): boolean =>
  contentType(request).includes('x-www-form-urlencoded') || request.query.has('Action');

/** Signed as these, errors of REST-XML services look like those of the query protocol. */
const restXml = new Set(['cloudfront', 'route53']);

function refuse(request: GatewayRequest, res: ServerResponse, sentence: string): void {
  const type = 'UnknownOperationException';
  const jsonVersion = /x-amz-json-(1\.\d)/.exec(contentType(request))?.[1];
  if (request.message.headers['smithy-protocol'] === 'rpc-v2-cbor') {
    sendCborError(res, type, sentence);
  } else if (request.target !== '' || jsonVersion !== undefined) {
    sendJsonError(res, 400, `com.amazon.coral.service#${type}`, sentence, jsonVersion);
  } else if (request.service === 'ec2') {
    const errors = xmlOf('Errors', { Error: { Code: 'InvalidAction', Message: sentence } });
    sendXml(res, 400, `<Response>${errors}${xmlOf('RequestID', randomUUID())}</Response>`);
  } else if (isForm(request) || restXml.has(request.service ?? '')) {
    sendQueryError(res, 400, 'InvalidAction', sentence);
  } else if (request.service === 's3') {
    sendS3Error(res, 501, 'NotImplemented', sentence);
  } else {
    sendRestError(res, 404, type, sentence);
  }
}

/** https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html */
function sendCborError(res: ServerResponse, type: string, sentence: string): void {
  const body = cborText({ __type: `com.amazon.coral.service#${type}`, message: sentence });
  res.writeHead(400, {
    'content-type': 'application/cbor',
    'content-length': body.length,
    'smithy-protocol': 'rpc-v2-cbor',
    'x-amzn-requestid': randomUUID(),
  });
  res.end(body);
}
