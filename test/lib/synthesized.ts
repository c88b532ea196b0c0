import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { EdgewiseStack } from '../../lib/edgewise-stack.ts';

const outputs: string[] = [];

/** For what an app writes: CDK would take the place that the environment names, and leave it. */
export function outputDirectory(): string {
  const output = mkdtempSync(join(tmpdir(), 'edgewise-synthesis-'));
  outputs.push(output);
  return output;
}

/** Whoever synthesizes calls this after all of its tests. */
export function removeOutputs(): void {
  for (const output of outputs.splice(0)) rmSync(output, { recursive: true, force: true });
}

/** In place of the bundles, which take a second to make. */
export const noCode = (name: string): Code =>
  Code.fromInline(`exports.handler = async () => '${name}';`);

type Synthesized = {
  readonly app: App;
  readonly stack: EdgewiseStack;
  readonly template: Template;
};

const known = new Map<string, Synthesized>();

/**
 * The stack as `cdk synth` makes it, without bundling the code and without the checks of the CDK,
 * which only warn and take longer than the rest: nothing here looks at them. Whoever asks for the
 * same one gets the same one, and changes nothing in it: each takes a second.
 */
export function synthesized(name = 'production', alarmTopicArn: string | null = null): Synthesized {
  const key = `${name} ${alarmTopicArn}`;
  const found = known.get(key) ?? synthesizedAnew(name, alarmTopicArn);
  known.set(key, found);
  return found;
}

/** For whoever compares two of them, or looks at what only a new one has. */
export function synthesizedAnew(
  name = 'production',
  alarmTopicArn: string | null = null,
): Synthesized {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    analyticsReporting: false,
    outdir: outputDirectory(),
    builtinCloudFormationValidation: false,
    context,
  });
  const stack = new EdgewiseStack(app, 'Edgewise', {
    stage: name,
    functionCode: noCode,
    ...(alarmTopicArn === null ? {} : { alarmTopicArn }),
  });
  return { app, stack, template: Template.fromStack(stack) };
}

type Resource = { readonly Type: string; readonly Properties: Record<string, unknown> };

/** Resources of one type by logical id. */
export function resourcesOf(template: Template, type: string): ReadonlyMap<string, Resource> {
  return new Map(Object.entries(template.findResources(type) as Record<string, Resource>));
}
