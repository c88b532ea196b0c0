import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { EdgewiseStack } from './edgewise-stack.ts';

/**
 * `cdk synth` and `cdk deploy` start here; no account, network or Docker is needed to synthesize.
 */
const app = new App({ analyticsReporting: false });
const context = (name: string): unknown => app.node.tryGetContext(`edgewise:${name}`);
const alarmTopicArn = context('alarmTopicArn');
// The construct is always called so, and its template with it; the stack goes by its stage.
new EdgewiseStack(app, 'Edgewise', {
  stage: String(context('stage')),
  description: 'A serverless scheduler for edges',
  ...(alarmTopicArn ? { alarmTopicArn: String(alarmTopicArn) } : {}),
});
// A start on this machine does not wait for the rules of AWS; whoever deploys does, and so does
// `npm test`.
if (context('checks') !== 'off') {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
