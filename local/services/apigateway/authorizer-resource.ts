/** AWS::ApiGatewayV2::Authorizer: a function that answers whether a request may pass. */
import { stableToken } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { httpApiAuthorizerSecondsMax } from '../../limits.ts';
import type { ResourceType } from '../../world.ts';
import { functionNameOf } from '../lambda/service.ts';
import { isIdentitySource } from './authorizer.ts';
import { apiOf } from './integration-resource.ts';

export const apigatewayv2Authorizer: ResourceType = {
  used: [
    'ApiId',
    'Name',
    'AuthorizerType',
    'AuthorizerUri',
    'AuthorizerPayloadFormatVersion',
    'EnableSimpleResponses',
    'IdentitySource',
    'AuthorizerResultTtlInSeconds',
  ],
  ignored: {},
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    if (reader.text('AuthorizerType') !== 'REQUEST') {
      throw new StartFailure(`${path}.AuthorizerType: the local cloud runs REQUEST only.`);
    }
    const isSimple = reader.optionalFlag('EnableSimpleResponses') ?? false;
    if (!isSimple || reader.text('AuthorizerPayloadFormatVersion') !== '2.0') {
      throw new StartFailure(`${path}: the local cloud runs simple responses of format 2.0 only.`);
    }
    const id = stableToken(logicalId, 6).toLowerCase();
    const definition = world.functions.get(functionNameOf(reader.text('AuthorizerUri')));
    if (definition === undefined) {
      throw new StartFailure(`${path}.AuthorizerUri: there is no such function.`);
    }
    const identitySources = reader.texts('IdentitySource');
    const ttlSeconds = reader.optionalNumber('AuthorizerResultTtlInSeconds') ?? 0;
    checkCache(path, identitySources, ttlSeconds);
    apiOf(world, reader.text('ApiId'), path).authorizers.set(id, {
      id,
      name: reader.text('Name'),
      functionArn: definition.arn,
      identitySources,
      ttlSeconds,
    });
    return { ref: id, attributes: { AuthorizerId: id } };
  },
};

/** "To enable caching, your authorizer must have at least one identity source." */
function checkCache(path: string, identitySources: readonly string[], ttlSeconds: number): void {
  const source = identitySources.find((item) => !isIdentitySource(item));
  if (source !== undefined) {
    throw new StartFailure(`${path}.IdentitySource: the local cloud cannot read ${source}.`);
  }
  if (ttlSeconds < 0 || ttlSeconds > httpApiAuthorizerSecondsMax) {
    const range = `from 0 to ${httpApiAuthorizerSecondsMax}`;
    throw new StartFailure(`${path}.AuthorizerResultTtlInSeconds should be ${range}.`);
  }
  if (ttlSeconds > 0 && identitySources.length === 0) {
    throw new StartFailure(`${path}.IdentitySource: caching needs one at least.`);
  }
}
