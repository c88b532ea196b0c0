import type { Template } from 'aws-cdk-lib/assertions';

/**
 * What a deployment fails on although each resource is right by itself: no schema knows it, and no
 * rule pack looks for it. Each rule names its source, and a finding says what is to be done.
 */
type Rule = (resources: Resources) => string[];

type Resource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
};

export type Resources = Readonly<Record<string, Resource>>;

export function deployErrors(template: Template): string[] {
  const resources = template.toJSON().Resources as Resources;
  return rules.flatMap((rule) => rule(resources));
}

const rules: readonly Rule[] = [stagesWaitForTheirRoutes];

/**
 * CloudFormation makes a stage as soon as its API is there, and API Gateway looks for each route of
 * `RouteSettings` at that moment: "Unable to find Route by key … within the provided RouteSettings"
 * (aws/serverless-application-model#2479, terraform-aws-modules/terraform-aws-apigateway-v2#80).
 */
function stagesWaitForTheirRoutes(resources: Resources): string[] {
  const routes = Object.entries(resources).filter(([, { Type }]) => Type === routeType);
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    if (Type !== 'AWS::ApiGatewayV2::Stage') return [];
    const before = waitsFor(resources, id);
    return Object.keys(Properties?.RouteSettings ?? {})
      .filter((key) => !routes.some(([route, it]) => keyOf(it) === key && before.has(route)))
      .map((key) => `${id} has settings of ${key} and does not depend on that route`);
  });
}

const routeType = 'AWS::ApiGatewayV2::Route';

function keyOf({ Properties }: Resource): unknown {
  return Properties?.RouteKey;
}

/** All that is there before this resource is made. */
function waitsFor(resources: Resources, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (from: string): void => {
    const { DependsOn = [], Properties } = resources[from] ?? {};
    for (const name of [DependsOn].flat().concat([...referredIn(Properties)])) {
      if (found.has(name) || resources[name] === undefined) continue;
      found.add(name);
      look(name);
    }
  };
  look(id);
  return found;
}

/** Names in `Ref` and `Fn::GetAtt`: CDK writes no other references to resources. */
function* referredIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'Ref') yield String(item);
    else if (key === 'Fn::GetAtt') yield String([item].flat()[0]);
    else yield* referredIn(item);
  }
}
