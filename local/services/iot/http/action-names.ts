/**
 * Which IAM action and resource a request to the two IoT services needs, so that the caller's role
 * can be checked: the table of "How AWS IoT works with IAM" and the data plane's own.
 */

import { type Found, type Request, routesOf } from '../../../engine/gateway/routes.ts';
import { controlRoutes } from '../control-plane/control-plane.ts';
import { dataRoutes } from '../data-plane/data-plane.ts';

type NeededAction = { readonly action: string; readonly resource: string };

const control = routesOf(controlRoutes);
const data = routesOf(dataRoutes);

const routesOfService = (service: 'iotdata' | 'iot') => (service === 'iot' ? control : data);

export function operationsOf(service: 'iotdata' | 'iot'): string[] {
  const routes = service === 'iot' ? controlRoutes : dataRoutes;
  return routes.map(({ operation }) => operation);
}

/** The data plane itself answers a path of its own that is asked with another method. */
export function isKnown(service: 'iotdata' | 'iot', req: Request): boolean {
  return service === 'iot' ? control.find(req) !== undefined : data.knowsPath(req);
}

export function neededAction(
  service: 'iotdata' | 'iot',
  req: Request,
  region: string,
  accountId: string,
): NeededAction {
  const found = routesOfService(service).find(req);
  if (found === undefined) return { action: 'iot:Unknown', resource: '*' };
  const resource = resourceOf(found, req);
  return {
    action: actionOf(found),
    resource: resource.includes('/')
      ? resource.startsWith('arn:')
        ? resource
        : `arn:aws:iot:${region}:${accountId}:${resource}`
      : '*',
  };
}

/** A retained publish needs iot:RetainPublish beside iot:Publish; the stricter one is asked for. */
function actionOf({ operation, query }: Found): string {
  const retained = operation === 'Publish' && query.get('retain') === 'true';
  return `iot:${retained ? 'RetainPublish' : operation}`;
}

function resourceOf({ operation, path, query }: Found, req: Request): string {
  switch (operation) {
    case 'AttachThingPrincipal':
    case 'DetachThingPrincipal':
    case 'ListPrincipalThings': {
      const header = req.headers['x-amzn-principal'];
      return String(Array.isArray(header) ? header[0] : (header ?? '*'));
    }
    case 'AttachPolicy':
    case 'DetachPolicy':
      // The target stands in the body, which is not read here.
      return 'cert/*';
    case 'ListAttachedPolicies':
      return path['target'] ?? '*';
    case 'ListTargetsForPolicy':
    case 'GetPolicy':
    case 'CreatePolicy':
    case 'DeletePolicy':
      return `policy/${path['policy']}`;
    case 'GetTopicRule':
      return `rule/${path['rule']}`;
    case 'Publish':
    case 'GetRetainedMessage':
      return `topic/${path['topic']}`;
    case 'GetConnection':
    case 'ListSubscriptions':
    case 'DeleteConnection':
      return `client/${path['client']}`;
    case 'GetThingShadow':
    case 'UpdateThingShadow':
    case 'DeleteThingShadow': {
      const shadow = query.get('name');
      return `thing/${path['thing']}${shadow === null ? '' : `/${shadow}`}`;
    }
  }
  if (path['thing'] !== undefined) return `thing/${path['thing']}`;
  if (path['certificate'] !== undefined) return `cert/${path['certificate']}`;
  return '*';
}
