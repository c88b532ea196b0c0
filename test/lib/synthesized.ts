import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EdgewiseStack } from '../../lib/edgewise-stack.ts';
import { makeStage, type StageName } from '../../lib/frame/stage.ts';

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

/** The stack as `cdk synth` makes it, without bundling the code: nothing here looks at it. */
export function synthesized(stage: StageName = 'production', alarmTopicArn: string | null = null) {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    analyticsReporting: false,
    outdir: outputDirectory(),
    context: { ...context, 'aws:cdk:bundling-stacks': [] },
  });
  const stack = new EdgewiseStack(app, 'Edgewise', { stage: makeStage(stage, alarmTopicArn) });
  return { app, stack, template: Template.fromStack(stack) };
}

type Resource = { readonly Type: string; readonly Properties: Record<string, unknown> };

/** Resources of one type by logical id. */
export function resourcesOf(template: Template, type: string): ReadonlyMap<string, Resource> {
  return new Map(Object.entries(template.findResources(type) as Record<string, Resource>));
}
