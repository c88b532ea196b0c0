import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Adds to a copy of the synthesized template two routes that lead to the bare function: `/bare` is
 * open to all, and `/bare-known` stands behind the authorizer of the API. Nothing reads the stream
 * there: what is measured is the way of a request, not the scheduling that it causes, which would
 * only burden the one side.
 */
type Resource = { Type: string; Properties: Record<string, unknown>; [key: string]: unknown };
type Template = { Resources: Record<string, Resource> };
type Assets = { files: Record<string, { source: { path: string }; destinations: object }> };

export function addBareRoutes(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  buildSync({
    entryPoints: [join(import.meta.dirname, 'bare-function.ts')],
    outfile: join(to, 'asset.bare', 'index.mjs'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  const template = readJson<Template>(join(to, 'Edgewise.template.json'));
  const assets = readJson<Assets>(join(to, 'Edgewise.assets.json'));
  const route = find(template, (it) => it.Properties.RouteKey === 'POST /v1/jobs');
  const integration = referredTo(template, JSON.stringify(route.Properties.Target));
  const fn = referredTo(template, JSON.stringify(integration.Properties.IntegrationUri));
  const permission = find(
    template,
    (it) =>
      it.Type === 'AWS::Lambda::Permission' &&
      JSON.stringify(it.Properties.SourceArn).includes('/v1/jobs"'),
  );
  const { S3Key: key } = fn.Properties.Code as { S3Key: string };
  const file = assets.files[key.replace(/\.zip$/, '')]!;
  const destinations = Object.fromEntries(
    Object.entries(file.destinations).map(([name, it]) => [name, { ...it, objectKey: 'bare.zip' }]),
  );
  const source = { ...file.source, path: 'asset.bare' };
  assets.files.bare = { ...file, source, destinations };
  const Code = { ...(fn.Properties.Code as object), S3Key: 'bare.zip' };
  const { Resources } = template;
  for (const [id, resource] of Object.entries(Resources)) {
    if (resource.Type === 'AWS::Lambda::EventSourceMapping') delete Resources[id];
  }
  Resources.BareFunction = { ...fn, Properties: { ...fn.Properties, Code } };
  const arn = { 'Fn::GetAtt': ['BareFunction', 'Arn'] };
  Resources.BareIntegration = {
    ...integration,
    Properties: { ...integration.Properties, IntegrationUri: arn },
  };
  const sourceArn = JSON.stringify(permission.Properties.SourceArn);
  const anyRoute = JSON.parse(sourceArn.replace('/v1/jobs"', '/*"')) as object;
  Resources.BarePermission = {
    ...permission,
    Properties: { ...permission.Properties, FunctionName: arn, SourceArn: anyRoute },
  };
  const target = { 'Fn::Join': ['', ['integrations/', { Ref: 'BareIntegration' }]] };
  const known = { ...route.Properties, RouteKey: 'POST /bare-known', Target: target };
  const { AuthorizerId: _, ...open } = known as Record<string, unknown>;
  Resources.BareKnownRoute = { ...route, Properties: known };
  Resources.BareRoute = {
    ...route,
    Properties: { ...open, RouteKey: 'POST /bare', AuthorizationType: 'NONE' },
  };
  writeFileSync(join(to, 'Edgewise.template.json'), JSON.stringify(template));
  writeFileSync(join(to, 'Edgewise.assets.json'), JSON.stringify(assets));
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

function find(template: Template, wanted: (resource: Resource) => boolean): Resource {
  const found = Object.values(template.Resources).find(wanted);
  if (found === undefined) throw new Error('the template has no such resource');
  return found;
}

function referredTo(template: Template, text: string): Resource {
  const name = Object.keys(template.Resources).find((id) => text.includes(`"${id}"`));
  if (name === undefined) throw new Error(`nothing is referred to by ${text}`);
  return template.Resources[name]!;
}
