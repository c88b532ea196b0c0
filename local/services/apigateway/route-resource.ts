/** AWS::ApiGatewayV2::Route: a method and path, its integration and its authorizer. */
import { stableToken } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType } from '../../world.ts';
import { apiOf } from './integration-resource.ts';

export const apigatewayv2Route: ResourceType = {
  used: ['ApiId', 'RouteKey', 'Target', 'AuthorizationType', 'AuthorizerId'],
  ignored: { OperationName: 'a text for people' },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const kind = reader.optionalText('AuthorizationType') ?? 'NONE';
    if (kind !== 'NONE' && kind !== 'CUSTOM') {
      throw new StartFailure(
        `${path}.AuthorizationType: the local cloud runs NONE and CUSTOM only.`,
      );
    }
    const id = stableToken(logicalId, 7).toLowerCase();
    apiOf(world, reader.text('ApiId'), path).routes.push({
      logicalId,
      key: reader.text('RouteKey'),
      integrationId: reader.text('Target').replace(/^integrations\//, ''),
      authorizerId: kind === 'CUSTOM' ? reader.text('AuthorizerId') : undefined,
    });
    return { ref: id, attributes: { RouteId: id } };
  },
};
