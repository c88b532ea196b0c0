import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EdgewiseStack } from '../../lib/edgewise-stack.ts';
import { makeStage, type StageName } from '../../lib/stage.ts';

/** The stack as `cdk synth` makes it, without bundling the code: nothing here looks at it. */
export function synthesized(stage: StageName = 'production', alarmTopicArn: string | null = null) {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    analyticsReporting: false,
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
