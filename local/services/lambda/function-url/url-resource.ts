/** AWS::Lambda::Url: an address of a function's own, whose answers may stream. */
import { readerOf } from '../../../assembly/property.ts';
import { StartFailure } from '../../../failure.ts';
import type { ResourceType } from '../../../world.ts';
import { readCors } from '../../apigateway/cors.ts';

export const lambdaUrl: ResourceType = {
  used: ['TargetFunctionArn', 'AuthType', 'InvokeMode', 'Cors'],
  ignored: {},
  create: ({ path, properties, world }) => {
    const reader = readerOf(properties, path);
    if (reader.text('AuthType') !== 'NONE') {
      throw new StartFailure(`${path}.AuthType: the local cloud checks no signatures there.`);
    }
    if (reader.optionalText('InvokeMode') !== 'RESPONSE_STREAM') {
      throw new StartFailure(`${path}.InvokeMode: the local cloud runs RESPONSE_STREAM only.`);
    }
    const functionArn = reader.text('TargetFunctionArn');
    const url = world.functionUrl(world.functionUrls.length);
    const cors = reader.optionalObject('Cors');
    world.functionUrls.push({ functionArn, url, cors: cors && readCors(cors) });
    return { ref: functionArn, attributes: { FunctionUrl: url, FunctionArn: functionArn } };
  },
};
