/** A request that nobody signed, or wrongly, in the form that the client's protocol expects. */
import type { ServerResponse } from 'node:http';
import type { SignatureProblem } from '../../services/iam/signature.ts';
import { sendJsonError, sendQueryError, sendRestError, sendS3Error } from './answer.ts';
import type { GatewayRequest } from './request.ts';

export function refuseSignature(
  request: GatewayRequest,
  res: ServerResponse,
  problem: SignatureProblem,
): void {
  const form = String(request.message.headers['content-type'] ?? '');
  const { sentence, json, query, s3 } = refusals[problem];
  if (request.service === 's3') sendS3Error(res, 403, s3, sentence);
  else if (form.includes('x-www-form-urlencoded')) sendQueryError(res, 403, query, sentence);
  else if (request.target === '') sendRestError(res, 403, json, sentence);
  else sendJsonError(res, 400, `com.amazon.coral.service#${json}`, sentence);
}

export const signatureSentence = (problem: SignatureProblem): string => refusals[problem].sentence;

/** The error's name in each family of protocols. */
type Refusal = {
  readonly sentence: string;
  readonly json: string;
  readonly query: string;
  readonly s3: string;
};

const otherSignature: Refusal = {
  sentence:
    'The request signature we calculated does not match the signature you provided. ' +
    'Check your AWS Secret Access Key and signing method. Consult the service documentation for ' +
    'details.',
  json: 'InvalidSignatureException',
  query: 'SignatureDoesNotMatch',
  s3: 'SignatureDoesNotMatch',
};

const invalidToken: Refusal = {
  sentence: 'The security token included in the request is invalid.',
  json: 'UnrecognizedClientException',
  query: 'InvalidClientTokenId',
  s3: 'InvalidToken',
};

const refusals: Readonly<Record<SignatureProblem, Refusal>> = {
  missing: {
    sentence: 'Request is missing Authentication Token',
    json: 'MissingAuthenticationTokenException',
    query: 'MissingAuthenticationToken',
    s3: 'AccessDenied',
  },
  key: {
    ...invalidToken,
    sentence:
      `${invalidToken.sentence} The local cloud knows the keys of its functions and the one in ` +
      'endpoints.json.',
    s3: 'InvalidAccessKeyId',
  },
  signature: otherSignature,
  token: invalidToken,
  expired: {
    sentence: 'The security token included in the request is expired',
    json: 'ExpiredTokenException',
    query: 'ExpiredToken',
    s3: 'ExpiredToken',
  },
  over: {
    sentence: 'Request has expired',
    json: 'AccessDeniedException',
    query: 'AccessDenied',
    s3: 'AccessDenied',
  },
};
