/** AWS::ApiGatewayV2::Api: an HTTP API with its CORS settings. */
import { stableToken } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType } from '../../world.ts';
import { readCors } from './cors.ts';

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
      cors: cors === undefined ? undefined : readCors(cors),
      integrations: new Map(),
      authorizers: new Map(),
      routes: [],
      stage: undefined,
    });
    return { ref: id, attributes: { ApiId: id, ApiEndpoint: url } };
  },
};
