/** A template as CloudFormation reads it: what refers to what, and what is there before what. */
export type Resource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
};

export type Resources = Readonly<Record<string, Resource>>;

/**
 * What a deployment fails on although each resource is right by itself: no schema knows it, and no
 * rule pack looks for it. A finding says what is to be done.
 */
export type Rule = (resources: Resources) => string[];

export function ofType(resources: Resources, type: string | RegExp): [string, Resource][] {
  const isOf = (name: string) => (typeof type === 'string' ? name === type : type.test(name));
  return Object.entries(resources).filter(([, { Type }]) => isOf(Type));
}

/** The properties of properties, and so on; `undefined` where there are none. */
export function within(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

/** What must be there before this resource is made, by one step. */
export function directlyBefore(resources: Resources, id: string): string[] {
  const { DependsOn = [], Properties } = resources[id] ?? {};
  const names = [DependsOn].flat().concat([...referredIn(Properties)]);
  return [...new Set(names)].filter((name) => resources[name] !== undefined);
}

/** All that is there before this resource is made. */
export function waitsFor(resources: Resources, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (from: string): void => {
    for (const name of directlyBefore(resources, from)) {
      if (found.has(name)) continue;
      found.add(name);
      look(name);
    }
  };
  look(id);
  return found;
}

/** The resource that a property refers to, by whatever of it. */
export function referred(value: unknown): string | undefined {
  const [name] = referredIn(value);
  return name;
}

/** Names in `Ref` and `Fn::GetAtt`: CDK writes no other references to resources. */
export function* referredIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === 'Ref') yield String(item);
    else if (key === 'Fn::GetAtt') yield String([item].flat()[0]);
    else yield* referredIn(item);
  }
}

const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'ap-southeast-2',
  'AWS::AccountId': '123456789012',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** How long a name that CloudFormation makes is, in an ARN: what it may be at most. */
const madeName = `arn:aws:service:ap-southeast-2:123456789012:kind/${'x'.repeat(64)}`;

/** The text that a service gets, with the longest region and names for what is not known yet. */
export function rendered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rendered);
  if (typeof value !== 'object' || value === null) return value;
  const [only, ...others] = Object.entries(value);
  if (only !== undefined && others.length === 0) {
    const [key, item] = only;
    if (key === 'Ref') return pseudo[String(item)] ?? madeName;
    if (key === 'Fn::GetAtt') return madeName;
    if (key === 'Fn::Join') return (rendered((item as unknown[])[1]) as unknown[]).join('');
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rendered(item)]));
}
