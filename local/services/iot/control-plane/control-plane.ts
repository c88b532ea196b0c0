/**
 * The control plane of AWS IoT as its SDK speaks it: things, certificates from signing requests,
 * what is attached to what, policies, and the endpoint that devices connect to. Rules come from the
 * template.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Route, routesOf } from '../../../engine/gateway/routes.ts';
import { answering, invalid, ServiceError } from '../http/http-answer.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { certificateOperations } from './certificates.ts';
import type { ControlDependencies, ControlOperation } from './operation.ts';
import { policyOperations } from './policies.ts';
import { ruleOperations } from './rules.ts';
import { thingOperations } from './things.ts';

export const controlRoutes: readonly Route[] = [
  { operation: 'DescribeEndpoint', method: 'GET', path: '/endpoint' },
  { operation: 'CreateThing', method: 'POST', path: '/things/{thing}' },
  { operation: 'DescribeThing', method: 'GET', path: '/things/{thing}' },
  { operation: 'UpdateThing', method: 'PATCH', path: '/things/{thing}' },
  { operation: 'DeleteThing', method: 'DELETE', path: '/things/{thing}' },
  { operation: 'ListThings', method: 'GET', path: '/things' },
  { operation: 'AttachThingPrincipal', method: 'PUT', path: '/things/{thing}/principals' },
  { operation: 'DetachThingPrincipal', method: 'DELETE', path: '/things/{thing}/principals' },
  { operation: 'ListThingPrincipals', method: 'GET', path: '/things/{thing}/principals' },
  { operation: 'ListPrincipalThings', method: 'GET', path: '/principals/things' },
  { operation: 'CreateCertificateFromCsr', method: 'POST', path: '/certificates' },
  { operation: 'ListCertificates', method: 'GET', path: '/certificates' },
  { operation: 'DescribeCertificate', method: 'GET', path: '/certificates/{certificate}' },
  { operation: 'UpdateCertificate', method: 'PUT', path: '/certificates/{certificate}' },
  { operation: 'DeleteCertificate', method: 'DELETE', path: '/certificates/{certificate}' },
  { operation: 'AttachPolicy', method: 'PUT', path: '/target-policies/{policy}' },
  { operation: 'DetachPolicy', method: 'POST', path: '/target-policies/{policy}' },
  { operation: 'ListAttachedPolicies', method: 'POST', path: '/attached-policies/{target+}' },
  { operation: 'ListTargetsForPolicy', method: 'POST', path: '/policy-targets/{policy}' },
  { operation: 'ListPolicies', method: 'GET', path: '/policies' },
  { operation: 'GetPolicy', method: 'GET', path: '/policies/{policy}' },
  { operation: 'CreatePolicy', method: 'POST', path: '/policies/{policy}' },
  { operation: 'DeletePolicy', method: 'DELETE', path: '/policies/{policy}' },
  { operation: 'CreateKeysAndCertificate', method: 'POST', path: '/keys-and-certificate' },
  { operation: 'ListTopicRules', method: 'GET', path: '/rules' },
  { operation: 'GetTopicRule', method: 'GET', path: '/rules/{rule}' },
];

export function controlPlane(dependencies: ControlDependencies) {
  const routes = routesOf(controlRoutes);
  const operations: Record<string, ControlOperation> = {
    ...endpointOperations(dependencies),
    ...thingOperations(dependencies),
    ...certificateOperations(dependencies),
    ...policyOperations(dependencies),
    ...ruleOperations(dependencies),
  };
  return (req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void> =>
    answering(res, dependencies.log, () => {
      const found = routes.find(req);
      const operation = found === undefined ? undefined : operations[found.operation];
      if (found === undefined || operation === undefined) {
        throw new ServiceError(
          404,
          'UnknownOperationException',
          'The operation is not known here.',
        );
      }
      return operation({ ...found, body: jsonBody(body), principal: principalOf(req) });
    });
}

function endpointOperations(dependencies: ControlDependencies): Record<string, ControlOperation> {
  return {
    DescribeEndpoint({ query }) {
      const type = query.get('endpointType') ?? 'iot:Data';
      if (!['iot:Data-ATS', 'iot:Data'].includes(type)) {
        throw invalid(`The endpoint type ${type} is not known here.`);
      }
      return { endpointAddress: dependencies.endpoint() };
    },
  };
}

function jsonBody(body: Buffer): JsonObject {
  if (body.length === 0) return {};
  try {
    const parsed = JSON.parse(body.toString()) as Json;
    return isObject(parsed) ? parsed : {};
  } catch {
    throw invalid('The body of the request is not JSON.');
  }
}

function principalOf(req: IncomingMessage): string | undefined {
  const header = req.headers['x-amzn-principal'] ?? req.headers['x-amzn-iot-principal'];
  return Array.isArray(header) ? header[0] : header;
}
