/** AWS::ApiGatewayV2::Integration: a route's function, called with payload format 2.0. */
import { stableToken } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { httpApiTimeoutMsMax, httpApiTimeoutMsMin } from '../../limits.ts';
import type { ResourceType, World } from '../../world.ts';

export const apigatewayv2Integration: ResourceType = {
  used: [
    'ApiId',
    'IntegrationType',
    'IntegrationUri',
    'PayloadFormatVersion',
    'TimeoutInMillis',
    'ConnectionType',
  ],
  ignored: {
    Description: 'a text for people',
    IntegrationMethod: 'functions are always invoked with POST',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const type = reader.text('IntegrationType');
    const format = reader.optionalText('PayloadFormatVersion');
    if (type !== 'AWS_PROXY') {
      throw new StartFailure(`${path}.IntegrationType: the local cloud runs AWS_PROXY only.`);
    }
    if (format !== '2.0') {
      throw new StartFailure(`${path}.PayloadFormatVersion: the local cloud speaks 2.0 only.`);
    }
    const timeoutMs = reader.optionalNumber('TimeoutInMillis') ?? httpApiTimeoutMsMax;
    if (timeoutMs < httpApiTimeoutMsMin || timeoutMs > httpApiTimeoutMsMax) {
      const range = `from ${httpApiTimeoutMsMin} to ${httpApiTimeoutMsMax}`;
      throw new StartFailure(`${path}.TimeoutInMillis should be ${range}.`);
    }
    const id = stableToken(logicalId, 7).toLowerCase();
    apiOf(world, reader.text('ApiId'), path).integrations.set(id, {
      functionArn: reader.text('IntegrationUri'),
      timeoutMs,
    });
    return { ref: id, attributes: { IntegrationId: id } };
  },
};

export function apiOf(
  world: World,
  id: string,
  path: string,
): NonNullable<ReturnType<World['apis']['get']>> {
  const api = world.apis.get(id);
  if (api === undefined) throw new StartFailure(`${path}.ApiId: there is no API ${id}.`);
  return api;
}
