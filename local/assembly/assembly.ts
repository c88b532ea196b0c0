/**
 * Reads what `cdk synth` wrote: one stack's template and the list of its assets. Assets are found
 * by the key that the template names, as CloudFormation would find them in the bucket.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartFailure } from '../failure.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type TemplateParameter = {
  readonly Type?: string;
  readonly Default?: string | number;
  readonly NoEcho?: boolean | string;
  readonly Description?: string;
  readonly AllowedValues?: readonly (string | number)[];
  readonly AllowedPattern?: string;
  readonly ConstraintDescription?: string;
};

export type TemplateResource = {
  readonly Type: string;
  readonly Properties: JsonObject;
  readonly DependsOn: readonly string[];
  readonly Condition?: string;
};

export type TemplateOutput = {
  readonly Value: Json;
  readonly Condition?: string;
  readonly Description?: string;
};

export type Template = {
  readonly parameters: Readonly<Record<string, TemplateParameter>>;
  readonly mappings: JsonObject;
  readonly conditions: JsonObject;
  readonly resources: Readonly<Record<string, TemplateResource>>;
  readonly outputs: Readonly<Record<string, TemplateOutput>>;
  readonly description: string | undefined;
};

export type Assembly = {
  readonly stack: string;
  readonly template: Template;
  /** Folder or file of the asset with this object key; undefined when the assembly has none. */
  assetPath(objectKey: string): string | undefined;
};

const knownSections = new Set([
  'AWSTemplateFormatVersion',
  'Description',
  'Metadata',
  'Parameters',
  'Mappings',
  'Conditions',
  'Rules',
  'Resources',
  'Outputs',
]);

/** Of an assembly with one stack, that one need not be named. */
export function loadAssembly(outDir: string, named: string | undefined): Assembly {
  if (!isFolder(outDir)) {
    throw new StartFailure(
      `There is no folder ${outDir}; --app takes the one that "npx cdk synth -q" writes.`,
    );
  }
  const stack = named ?? onlyStack(outDir);
  const templatePath = join(outDir, `${stack}${templateEnd}`);
  if (!existsSync(templatePath)) {
    throw new StartFailure(
      `There is no template ${templatePath}; synthesize it first with "npx cdk synth -q".`,
    );
  }
  const raw = objectOf(readJson(templatePath), 'the template');
  for (const section of Object.keys(raw)) {
    if (!knownSections.has(section)) {
      throw new StartFailure(
        `${section}: the local cloud does not run this section of a template.`,
      );
    }
  }
  const keys = assetKeys(join(outDir, `${stack}.assets.json`), outDir);
  return { stack, template: templateOf(raw), assetPath: (objectKey) => keys.get(objectKey) };
}

const templateEnd = '.template.json';

function onlyStack(outDir: string): string {
  const stacks = readdirSync(outDir)
    .filter((name) => name.endsWith(templateEnd) && !name.endsWith(`.nested${templateEnd}`))
    .map((name) => name.slice(0, -templateEnd.length))
    .sort();
  const [only, ...others] = stacks;
  if (only === undefined) {
    throw new StartFailure(
      `There is no template in ${outDir}; synthesize it first with "npx cdk synth -q".`,
    );
  }
  if (others.length > 0) {
    throw new StartFailure(
      `${outDir} has ${stacks.length} stacks; choose one with --stack: ${stacks.join(', ')}.`,
    );
  }
  return only;
}

function templateOf(raw: JsonObject): Template {
  const resources: Record<string, TemplateResource> = {};
  for (const [id, value] of Object.entries(objectOf(raw.Resources ?? {}, 'Resources'))) {
    const resource = objectOf(value, `Resources.${id}`);
    const depends = resource.DependsOn ?? [];
    const condition = resource.Condition;
    resources[id] = {
      Type: String(resource.Type),
      Properties: objectOf(resource.Properties ?? {}, `Resources.${id}.Properties`),
      DependsOn: (Array.isArray(depends) ? depends : [depends]).map(String),
      ...(typeof condition === 'string' ? { Condition: condition } : {}),
    };
  }
  return {
    parameters: objectOf(raw.Parameters ?? {}, 'Parameters') as Template['parameters'],
    mappings: objectOf(raw.Mappings ?? {}, 'Mappings'),
    conditions: objectOf(raw.Conditions ?? {}, 'Conditions'),
    resources,
    description: typeof raw.Description === 'string' ? raw.Description : undefined,
    outputs: objectOf(raw.Outputs ?? {}, 'Outputs') as Template['outputs'],
  };
}

function assetKeys(path: string, outDir: string): Map<string, string> {
  const keys = new Map<string, string>();
  if (!existsSync(path)) return keys;
  const files = objectOf(objectOf(readJson(path), path).files ?? {}, `${path}: files`);
  for (const [hash, value] of Object.entries(files)) {
    const asset = objectOf(value, `files.${hash}`);
    const source = objectOf(asset.source ?? {}, `files.${hash}.source`).path;
    if (typeof source !== 'string') continue;
    const destinations = objectOf(asset.destinations ?? {}, `files.${hash}.destinations`);
    for (const destination of Object.values(destinations)) {
      const key = objectOf(destination, 'destination').objectKey;
      if (typeof key === 'string') keys.set(key, resolve(outDir, source));
    }
  }
  return keys;
}

/** True when the asset is a folder that can be run in place. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readJson(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch {
    throw new StartFailure(`${path} is not JSON; synthesize again with "npx cdk synth -q".`);
  }
}

export function objectOf(value: Json | undefined, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new StartFailure(`${path} should be an object in the template.`);
}
