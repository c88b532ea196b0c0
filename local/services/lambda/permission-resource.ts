/** AWS::Lambda::Permission: which service may invoke a function, and for which of its resources. */

import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';
import { functionNameOf } from './service.ts';

export const lambdaPermission: ResourceType = {
  used: ['Action', 'FunctionName', 'Principal', 'SourceArn'],
  ignored: {
    SourceAccount: 'there is one account only',
    FunctionUrlAuthType: 'addresses of functions take everybody, or stop the start',
    InvokedViaFunctionUrl: 'who may invoke it without its address says the other permission',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    world.permissions.push({
      functionName: functionNameOf(reader.text('FunctionName')),
      action: reader.text('Action'),
      principal: reader.text('Principal'),
      sourceArn: reader.optionalText('SourceArn'),
    });
    return { ref: logicalId, attributes: { Id: logicalId } };
  },
};
