import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { EdgewiseStack } from './edgewise-stack.ts';
import { requiredStageName } from './frame/stage-name.ts';
import { declaredPlaces, refusalElsewhere } from './frame/stage-place.ts';

/**
 * `cdk synth` and `cdk deploy` start here; no account, network or Docker is needed to synthesize.
 */
const app = new App({ analyticsReporting: false });
const context = (name: string): unknown => app.node.tryGetContext(`edgewise:${name}`);
const stage = requiredStageName(context('stage'));
// The CDK tells whose credentials it found, and nothing where there are none.
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region = '' } = process.env;
const places = declaredPlaces(context('places'), stage);
if (places !== null && account !== undefined) {
  const refusal = refusalElsewhere(stage, places, { account, region });
  if (refusal !== null) throw new Error(refusal);
}
const alarmTopicArn = context('alarmTopicArn');
// The construct is always called so, and its template with it; the stack goes by its stage.
new EdgewiseStack(app, 'Edgewise', {
  stage: stage.name,
  description: 'A serverless scheduler for edges',
  ...(alarmTopicArn ? { alarmTopicArn: String(alarmTopicArn) } : {}),
});
// A start on this machine does not wait for the rules of AWS; whoever deploys does, and so does
// `npm test`.
if (context('checks') !== 'off') {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
