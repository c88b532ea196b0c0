/** AWS::CloudFront::Function: a few lines of JavaScript that see each request of a viewer. */
import { createContext, runInContext } from 'node:vm';
import { globalArnOf } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { viewerFunctionMs } from '../../limits.ts';
import type { ResourceType } from '../../world.ts';
import type { ViewerFunction } from './definition.ts';

export const cloudfrontFunction: ResourceType = {
  used: ['Name', 'FunctionCode', 'FunctionConfig'],
  ignored: { AutoPublish: 'there is one version', FunctionMetadata: 'a text for people' },
  create: ({ path, properties, world }) => {
    const reader = readerOf(properties, path);
    const arn = globalArnOf('cloudfront', `function/${reader.text('Name')}`);
    world.viewerFunctions.set(arn, compile(reader.text('FunctionCode'), path));
    return { ref: arn, attributes: { FunctionARN: arn, Stage: 'LIVE' } };
  },
};

function compile(code: string, path: string): ViewerFunction {
  const context = createContext({});
  try {
    runInContext(code, context, { timeout: viewerFunctionMs });
  } catch (error) {
    throw new StartFailure(`${path}.FunctionCode: ${String(error)}`);
  }
  return (request) => {
    Object.assign(context, { event: JSON.stringify({ version: '1.0', request }) });
    const call = 'JSON.stringify(handler(JSON.parse(event)))';
    return JSON.parse(String(runInContext(call, context, { timeout: viewerFunctionMs })));
  };
}
