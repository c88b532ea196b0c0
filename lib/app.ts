import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { EdgewiseStack } from './edgewise-stack.ts';
import { makeStage } from './frame/stage.ts';

/**
 * `cdk synth` and `cdk deploy` start here; no account, network or Docker is needed to synthesize.
 */
const app = new App({ analyticsReporting: false });
const stage = makeStage(
  app.node.tryGetContext('edgewise:stage'),
  app.node.tryGetContext('edgewise:alarmTopicArn'),
);
new EdgewiseStack(app, 'Edgewise', { stage, description: 'A serverless scheduler for edges' });
// A start on this machine does not wait for the rules of AWS; whoever deploys does, and so does
// `npm test`.
if (app.node.tryGetContext('edgewise:checks') !== 'off') {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
