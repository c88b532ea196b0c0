/** API Gateway v2: what it tells about the HTTP APIs of the template. */
import type { JsonObject } from '../../assembly/assembly.ts';
import { sendRestError, sendRestJson } from '../../engine/gateway/answer.ts';
import { type Found, type Route, routesOf } from '../../engine/gateway/routes.ts';
import { fromTemplate, type GatewayService, type Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { ApiDefinition, CorsSettings } from './definition.ts';

const paths: readonly Route[] = [
  { operation: 'GetApis', method: 'GET', path: '/v2/apis' },
  { operation: 'GetApi', method: 'GET', path: '/v2/apis/{api}' },
  { operation: 'GetRoutes', method: 'GET', path: '/v2/apis/{api}/routes' },
  { operation: 'GetIntegrations', method: 'GET', path: '/v2/apis/{api}/integrations' },
  { operation: 'GetStages', method: 'GET', path: '/v2/apis/{api}/stages' },
];

const offer: Offer = {
  operations: paths.map(({ operation }) => operation),
  instead: `They are of HTTP APIs (v2). ${fromTemplate}`,
};

const routes = routesOf(paths);

export function apigatewayService(
  roles: RoleBook,
  apis: ReadonlyMap<string, ApiDefinition>,
  region: string,
  startedAtMs: number,
): GatewayService {
  const createdDate = new Date(startedAtMs).toISOString();
  const described = (api: ApiDefinition): JsonObject => ({ ...describedApi(api), createdDate });
  return {
    ...offer,
    targets: [],
    handle: (request, res) => {
      const found = routes.find(request.message);
      if (found === undefined) return refuseOperation(request, res, offer);
      const resource = `arn:aws:apigateway:${region}::${request.path.replace('/v2', '')}`;
      const access = { action: 'apigateway:GET', resource };
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) return sendRestError(res, 403, 'AccessDeniedException', sentence);
      if (found.operation === 'GetApis') {
        return sendRestJson(res, 200, { items: [...apis.values()].map(described) });
      }
      const api = apis.get(found.path['api'] ?? '');
      if (api === undefined) {
        const message = 'Invalid API identifier specified';
        return sendRestError(res, 404, 'NotFoundException', message);
      }
      sendRestJson(res, 200, found.operation === 'GetApi' ? described(api) : partsOf(found, api));
    },
  };
}

function describedApi({ id, name, url, cors }: ApiDefinition): JsonObject {
  return {
    apiId: id,
    name,
    apiEndpoint: url,
    protocolType: 'HTTP',
    routeSelectionExpression: '$request.method $request.path',
    apiKeySelectionExpression: '$request.header.x-api-key',
    disableExecuteApiEndpoint: false,
    ...(cors === undefined ? {} : { corsConfiguration: corsOf(cors) }),
  };
}

function corsOf({ maxAgeSeconds, ...rest }: CorsSettings): JsonObject {
  const { allowOrigins, allowMethods, allowHeaders, exposeHeaders, allowCredentials } = rest;
  return {
    allowCredentials,
    allowHeaders: [...allowHeaders],
    allowMethods: [...allowMethods],
    allowOrigins: [...allowOrigins],
    exposeHeaders: [...exposeHeaders],
    ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
  };
}

function partsOf({ operation }: Found, api: ApiDefinition): JsonObject {
  switch (operation) {
    case 'GetRoutes':
      return {
        items: api.routes.map(({ logicalId, key, integrationId, authorizerId }) => ({
          routeId: logicalId,
          routeKey: key,
          target: `integrations/${integrationId}`,
          authorizationType: authorizerId === undefined ? 'NONE' : 'CUSTOM',
          ...(authorizerId === undefined ? {} : { authorizerId }),
        })),
      };
    case 'GetIntegrations':
      return {
        items: [...api.integrations].map(([integrationId, { functionArn, timeoutMs }]) => ({
          integrationId,
          integrationType: 'AWS_PROXY',
          integrationUri: functionArn,
          integrationMethod: 'POST',
          payloadFormatVersion: '2.0',
          timeoutInMillis: timeoutMs,
        })),
      };
    default:
      return { items: api.stage === undefined ? [] : [stageOf(api.stage)] };
  }
}

function stageOf({ name, variables }: NonNullable<ApiDefinition['stage']>): JsonObject {
  return { stageName: name, autoDeploy: true, stageVariables: { ...variables } };
}
