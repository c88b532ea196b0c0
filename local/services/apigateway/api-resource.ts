/** AWS::ApiGatewayV2::Api: an HTTP API with its CORS settings. */
import { stableToken } from '../../account.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType } from '../../world.ts';
import type { CorsSettings } from './definition.ts';

export const apigatewayv2Api: ResourceType = {
  used: ['Name', 'ProtocolType', 'CorsConfiguration'],
  ignored: {
    Description: 'a text for people',
    Tags: 'tags do nothing',
    DisableExecuteApiEndpoint: 'the local address is the only one',
    IpAddressType: 'the API listens on the loopback address',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    if (reader.text('ProtocolType') !== 'HTTP') {
      throw new StartFailure(`${path}.ProtocolType: the local cloud runs HTTP APIs only.`);
    }
    const id = stableToken(`${world.account.stack}/${logicalId}`, 10).toLowerCase();
    const url = world.apiUrl(world.apis.size);
    const cors = reader.optionalObject('CorsConfiguration');
    world.apis.set(id, {
      id,
      name: reader.optionalText('Name') ?? logicalId,
      url,
      cors: cors === undefined ? undefined : corsOf(cors),
      integrations: new Map(),
      authorizers: new Map(),
      routes: [],
      stage: undefined,
    });
    return { ref: id, attributes: { ApiId: id, ApiEndpoint: url } };
  },
};

function corsOf(reader: Reader): CorsSettings {
  reader.only([
    'AllowOrigins',
    'AllowMethods',
    'AllowHeaders',
    'ExposeHeaders',
    'AllowCredentials',
    'MaxAge',
  ]);
  return {
    allowOrigins: reader.texts('AllowOrigins'),
    allowMethods: reader.texts('AllowMethods'),
    allowHeaders: reader.texts('AllowHeaders'),
    exposeHeaders: reader.texts('ExposeHeaders'),
    allowCredentials: reader.optionalFlag('AllowCredentials') ?? false,
    maxAgeSeconds: reader.optionalNumber('MaxAge'),
  };
}
