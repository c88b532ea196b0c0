/** AWS::ApiGatewayV2::Stage: the stage `$default` with its throttles and its access log. */

import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { httpApiBurst, httpApiRatePerSecond } from '../../limits.ts';
import type { ResourceType } from '../../world.ts';
import type { Throttle } from './definition.ts';
import { apiOf } from './integration-resource.ts';

export const apigatewayv2Stage: ResourceType = {
  used: [
    'ApiId',
    'StageName',
    'AutoDeploy',
    'DefaultRouteSettings',
    'RouteSettings',
    'AccessLogSettings',
    'StageVariables',
  ],
  ignored: { Description: 'a text for people', Tags: 'tags do nothing' },
  create: ({ path, properties, world, waitsFor }) => {
    const reader = readerOf(properties, path);
    const name = reader.text('StageName');
    if (name !== '$default' || reader.optionalFlag('AutoDeploy') !== true) {
      throw new StartFailure(
        `${path}: the local cloud runs the stage $default with AutoDeploy only.`,
      );
    }
    const log = reader.optionalObject('AccessLogSettings');
    const routes = reader.optionalObject('RouteSettings');
    const api = apiOf(world, reader.text('ApiId'), path);
    const isThere = (key: string): boolean =>
      api.routes.some((route) => route.key === key && waitsFor(route.logicalId));
    for (const key of Object.keys(routes?.raw ?? {})) {
      if (!isThere(key)) throw routeNotFound(`${path}.RouteSettings.${key}`, key);
    }
    api.stage = {
      name,
      variables: Object.fromEntries(
        Object.entries(reader.optionalObject('StageVariables')?.raw ?? {}).map(([key, value]) => [
          key,
          String(value),
        ]),
      ),
      throttle: throttleOf(reader.optionalObject('DefaultRouteSettings')),
      routeThrottles: new Map(
        Object.keys(routes?.raw ?? {}).flatMap((key) => {
          const throttle = throttleOf(routes?.object(key));
          return throttle === undefined ? [] : [[key, throttle] as const];
        }),
      ),
      accessLog:
        log === undefined
          ? undefined
          : { logGroup: logGroupOf(log.text('DestinationArn')), format: log.text('Format') },
    };
    return { ref: name, attributes: {} };
  },
};

/**
 * API Gateway looks for the routes of the settings when the stage is made or changed, and
 * CloudFormation makes it as early as it may.
 */
function routeNotFound(path: string, key: string): StartFailure {
  return new StartFailure(
    `${path}: API Gateway would answer 404 "Unable to find Route by key ${key} within the ` +
      'provided RouteSettings", because the stage may be made before this route; name the route ' +
      'in its DependsOn.',
  );
}

function throttleOf(reader: Reader | undefined): Throttle | undefined {
  if (reader === undefined) return undefined;
  reader.only(['ThrottlingRateLimit', 'ThrottlingBurstLimit'], {
    DetailedMetricsEnabled: 'metrics of routes are not kept',
  });
  if (!reader.has('ThrottlingRateLimit') && !reader.has('ThrottlingBurstLimit')) return undefined;
  return {
    ratePerSecond: reader.optionalNumber('ThrottlingRateLimit') ?? httpApiRatePerSecond,
    burst: reader.optionalNumber('ThrottlingBurstLimit') ?? httpApiBurst,
  };
}

/** `arn:aws:logs:<region>:<account>:log-group:<name>[:*]`. */
function logGroupOf(arn: string): string {
  return arn.split(':')[6] ?? arn;
}
