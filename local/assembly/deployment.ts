/**
 * Creates the resources of a template in their order, as CloudFormation does, and resolves its
 * outputs. Everything that cannot be run is found before the first resource is created, and named
 * with its path.
 */
import { StartFailure } from '../failure.ts';
import type { Created, World } from '../world.ts';
import type { Json, JsonObject, Template, TemplateParameter } from './assembly.ts';
import { ignoredTypes, resourceTypes } from './catalog.ts';
import { conditionsOf } from './conditions.ts';
import { resolveValue, type Scope } from './intrinsics.ts';
import { creationOrder, dependenciesOf, referencesOf } from './resource-order.ts';

export type DeploymentRequest = {
  readonly template: Template;
  readonly world: World;
  readonly parameters: Readonly<Record<string, string>>;
  /** Given to each parameter whose description asks for the certificate authority. */
  readonly authorityPem: string;
};

export type DeployedResource = {
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
};

/** What became of a template. */
export type Deployed = {
  readonly resources: readonly DeployedResource[];
  readonly parameters: Readonly<Record<string, Json>>;
  readonly outputs: Readonly<Record<string, Json>>;
};

export async function deploy(request: DeploymentRequest): Promise<Deployed> {
  const { template, world } = request;
  const created = new Map<string, Created>();
  const parameters = parameterValues(request.template.parameters, request);
  const scope = scopeOf(request, parameters, created);
  const resources: DeployedResource[] = [];
  const isWanted = (condition: string | undefined, path: string): boolean =>
    condition === undefined || scope.condition(condition, path);
  checkTemplate(template, world, isWanted);
  for (const logicalId of creationOrder(template)) {
    const resource = template.resources[logicalId];
    if (resource === undefined) continue;
    const path = `Resources.${logicalId}`;
    const type = resourceTypes[resource.Type];
    if (!isWanted(resource.Condition, path)) continue;
    const listed = { logicalId, type: resource.Type };
    if (type === undefined) {
      resources.push({ ...listed, physicalId: logicalId });
      continue;
    }
    const at = `${path}.Properties`;
    const raw = Object.fromEntries(
      Object.entries(resource.Properties).filter(([key]) => type.used.includes(key)),
    );
    const properties = resolveValue(raw, scope, at) as JsonObject;
    const waitsFor = (other: string) => dependenciesOf(template, logicalId).has(other);
    const made = await type.create({ logicalId, path: at, properties, world, waitsFor });
    created.set(logicalId, made);
    resources.push({ ...listed, physicalId: String(made.ref) });
  }
  const outputs: Record<string, Json> = {};
  for (const [name, output] of Object.entries(template.outputs)) {
    const path = `Outputs.${name}`;
    if (!isWanted(output.Condition, path)) continue;
    if (usesIgnored(output.Value, template, created)) {
      world.ignored.push({ path, reason: 'it refers to a resource that is not run' });
      continue;
    }
    outputs[name] = resolveValue(output.Value, scope, `${path}.Value`);
  }
  return { resources, parameters, outputs };
}

/**
 * Finds every type and property that is not known, all at once, and notes what is ignored. What a
 * condition leaves out is nothing that would have to be run.
 */
function checkTemplate(
  template: Template,
  world: World,
  isWanted: (condition: string | undefined, path: string) => boolean,
): void {
  const problems: string[] = [];
  for (const [logicalId, resource] of Object.entries(template.resources)) {
    const path = `Resources.${logicalId}`;
    if (!isWanted(resource.Condition, path)) continue;
    const type = resourceTypes[resource.Type];
    const reason = ignoredTypes[resource.Type];
    if (type === undefined) {
      if (reason !== undefined) world.ignored.push({ path, reason: `${resource.Type}: ${reason}` });
      else problems.push(`${path}: the local cloud does not run the type ${resource.Type}.`);
      continue;
    }
    for (const other of resource.DependsOn) {
      if (template.resources[other] === undefined) {
        problems.push(`${path}.DependsOn: there is no resource ${other}.`);
      }
    }
    for (const key of Object.keys(resource.Properties)) {
      const at = `${path}.Properties.${key}`;
      const why = type.ignored[key];
      if (type.used.includes(key)) continue;
      if (why !== undefined) world.ignored.push({ path: at, reason: why });
      else problems.push(`${at}: the local cloud does not run this property of ${resource.Type}.`);
    }
  }
  if (problems.length > 0) throw new StartFailure(problems.join('\n'));
}

function scopeOf(
  { template, world }: DeploymentRequest,
  parameters: Readonly<Record<string, Json>>,
  created: ReadonlyMap<string, Created>,
): Scope {
  const scope: Scope = {
    region: world.account.region,
    stack: world.account.stack,
    mappings: template.mappings,
    parameter: (name) => parameters[name],
    resource: (logicalId) => created.get(logicalId) ?? standIn(logicalId, template),
    condition: (name, path) => conditions(name, path),
  };
  const conditions = conditionsOf(template.conditions, (value, path) =>
    resolveValue(value, scope, path),
  );
  return scope;
}

/**
 * A resource that is not run still has a name, by which a policy may speak of it; nothing else of
 * it is known.
 */
function standIn(logicalId: string, template: Template): Created | undefined {
  const type = template.resources[logicalId]?.Type;
  return type !== undefined && ignoredTypes[type] !== undefined
    ? { ref: logicalId, attributes: {} }
    : undefined;
}

function parameterValues(
  declared: Readonly<Record<string, TemplateParameter>>,
  request: DeploymentRequest,
): Record<string, Json> {
  for (const name of Object.keys(request.parameters)) {
    if (declared[name] === undefined) {
      throw new StartFailure(`The template has no parameter ${name}; see --parameter.`);
    }
  }
  const values: Record<string, Json> = {};
  for (const [name, parameter] of Object.entries(declared)) {
    const asksForAuthority = /PEM of the certificate authority/i.test(parameter.Description ?? '');
    const value =
      request.parameters[name] ?? (asksForAuthority ? request.authorityPem : parameter.Default);
    if (value === undefined) {
      throw new StartFailure(
        `Parameters.${name} has no default; give it with --parameter ${name}=…`,
      );
    }
    checkParameter(name, parameter, String(value));
    const isList = parameter.Type?.startsWith('List<') || parameter.Type === 'CommaDelimitedList';
    values[name] = isList ? String(value).split(',') : value;
  }
  return values;
}

/** CloudFormation refuses a value that the parameter does not allow. */
function checkParameter(name: string, parameter: TemplateParameter, value: string): void {
  const { AllowedValues, AllowedPattern, ConstraintDescription } = parameter;
  const isListed = AllowedValues?.map(String).includes(value) ?? true;
  const isShaped =
    AllowedPattern === undefined || new RegExp(`^(?:${AllowedPattern})$`, 's').test(value);
  if (isListed && isShaped) return;
  const rule = AllowedValues === undefined ? AllowedPattern : AllowedValues.join(', ');
  throw new StartFailure(
    `Parameters.${name}: ${ConstraintDescription ?? `the value should be one of ${rule}`}`,
  );
}

function usesIgnored(
  value: Json,
  template: Template,
  created: ReadonlyMap<string, Created>,
): boolean {
  return [...referencesOf(value)].some(
    (name) => template.resources[name] !== undefined && !created.has(name),
  );
}
