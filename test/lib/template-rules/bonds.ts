import { ofType, type Resources, referred, within } from './resources.ts';

/** What must fit what it is bound to. */

const timeoutsMin = 6;
const visibilityDefault = 30;
const timeoutDefault = 3;

/**
 * Lambda refuses a queue that hides a message for less than the function may take ("Queue
 * visibility timeout: 30 seconds is less than Function timeout"), and asks for six times as long,
 * so that a throttled batch is not handed out twice ("Using Lambda with Amazon SQS").
 */
export function queuesHideLongEnough(resources: Resources): string[] {
  return ofType(resources, 'AWS::Lambda::EventSourceMapping').flatMap(([id, { Properties }]) => {
    const queue = referred(Properties?.EventSourceArn);
    const fn = referred(Properties?.FunctionName);
    if (queue === undefined || fn === undefined) return [];
    if (resources[queue]?.Type !== 'AWS::SQS::Queue') return [];
    const hidden = Number(resources[queue]?.Properties?.VisibilityTimeout ?? visibilityDefault);
    const timeout = Number(resources[fn]?.Properties?.Timeout ?? timeoutDefault);
    if (hidden >= timeoutsMin * timeout) return [];
    return [`${id}: ${queue} hides for ${hidden} s, ${fn} may take ${timeout} s six times`];
  });
}

const worldwide: Readonly<Record<string, readonly string[]>> = {
  'AWS::CloudFront::Function': ['Name'],
  'AWS::CloudFront::OriginAccessControl': ['OriginAccessControlConfig', 'Name'],
  'AWS::CloudFront::ResponseHeadersPolicy': ['ResponseHeadersPolicyConfig', 'Name'],
};

/**
 * CloudFront has one list of these names for all regions of an account, and refuses one that is
 * taken ("FunctionAlreadyExists", "OriginAccessControlAlreadyExists"): a second region of a stack
 * would not come up (aws/aws-cdk#21056 and what it refers to).
 */
export function worldwideNamesHaveTheirRegion(resources: Resources): string[] {
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    const path = worldwide[Type];
    const name = path === undefined ? undefined : within(Properties, ...path);
    if (name === undefined || JSON.stringify(name).includes('AWS::Region')) return [];
    return [`${id} has a name without its region, and CloudFront has one list of them`];
  });
}
