import { directlyBefore, ofType, type Resources, referred, waitsFor, within } from './resources.ts';

/** What has to be there first. */

/**
 * CloudFormation makes a stage as soon as its API is there, and API Gateway looks for each route of
 * `RouteSettings` at that moment: "Unable to find Route by key … within the provided RouteSettings"
 * (aws/serverless-application-model#2479, terraform-aws-modules/terraform-aws-apigateway-v2#80).
 */
export function stagesWaitForTheirRoutes(resources: Resources): string[] {
  const routes = ofType(resources, 'AWS::ApiGatewayV2::Route');
  return ofType(resources, 'AWS::ApiGatewayV2::Stage').flatMap(([id, { Properties }]) => {
    const before = waitsFor(resources, id);
    const isThere = (key: string) =>
      routes.some(([route, it]) => it.Properties?.RouteKey === key && before.has(route));
    return Object.keys(Properties?.RouteSettings ?? {})
      .filter((key) => !isThere(key))
      .map((key) => `${id} has settings of ${key} and does not depend on that route`);
  });
}

const roleOf: Readonly<Record<string, readonly (string | number)[]>> = {
  'AWS::Lambda::Function': ['Role'],
  'AWS::Scheduler::Schedule': ['Target', 'RoleArn'],
  'AWS::IoT::TopicRule': ['TopicRulePayload', 'Actions', 0, 'Sqs', 'RoleArn'],
};

/**
 * A policy is a resource beside its role, made when it pleases CloudFormation; who works under the
 * role before that is refused. Lambda checks an event source at once: "The function execution role
 * does not have permissions to call ReceiveMessage on SQS" (aws/aws-cdk#7245; the documentation of
 * `DependsOn`: "IAM roles and policies").
 */
export function workersWaitForTheirPolicies(resources: Resources): string[] {
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    const path = roleOf[Type];
    const role = path === undefined ? undefined : referred(within(Properties, ...path));
    if (role === undefined) return [];
    const before = waitsFor(resources, id);
    return policiesOf(resources, role)
      .filter((policy) => !before.has(policy))
      .map((policy) => `${id} works under ${role} and does not depend on its policy ${policy}`);
  });
}

function policiesOf(resources: Resources, role: string): string[] {
  return ofType(resources, /^AWS::IAM::(Managed)?Policy$/)
    .filter(([, it]) => [it.Properties?.Roles ?? []].flat().some((one) => referred(one) === role))
    .map(([id]) => id);
}

/**
 * "Circular dependency between resources": the template is refused as a whole (CloudFormation's
 * troubleshooting guide).
 */
export function nothingWaitsForItself(resources: Resources): string[] {
  const circles = Object.keys(resources).filter((id) => waitsFor(resources, id).has(id));
  const [first] = circles;
  return first === undefined ? [] : [`these wait for each other: ${circleFrom(resources, first)}`];
}

/** The shortest way from a resource back to itself. */
function circleFrom(resources: Resources, start: string): string {
  let ways = [[start]];
  for (;;) {
    ways = ways.flatMap((way) =>
      directlyBefore(resources, way.at(-1)!).map((next) => [...way, next]),
    );
    const circle = ways.find((way) => way.at(-1) === start);
    if (circle !== undefined) return circle.join(' → ');
    ways = ways.filter((way) => new Set(way).size === way.length);
  }
}
