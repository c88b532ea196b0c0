import { CfnOutput, CfnParameter, Stack, type StackProps } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acceptFinding } from './accepted-finding.ts';
import { EdgePolicy } from './edge-policy.ts';
import { EdgeReports } from './edge-reports.ts';
import { lastResortQueue } from './edgewise-queue.ts';
import { EdgewiseTable } from './edgewise-table.ts';
import { HttpApi } from './http-api.ts';
import { pinLogicalId } from './logical-id.ts';
import { MinuteTick } from './minute-tick.ts';
import { Rollup } from './rollup.ts';
import { Scheduler } from './scheduler.ts';
import type { Stage } from './stage.ts';
import { amazonRootCa1 } from './trust-anchor.ts';

/** All of Edgewise in one stack: a map of the parts; each is a construct in a file of its own. */
export class EdgewiseStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly stage: Stage }) {
    super(scope, id, props);
    const { stage } = props;
    const trustAnchor = new CfnParameter(this, 'EdgeTrustAnchor', {
      description: 'PEM of the certificate authority that edges trust for the MQTT endpoint',
      default: amazonRootCa1,
    });
    const adminToken = this.adminToken(stage);
    const table = new EdgewiseTable(this, 'Data', { stage });
    const edgePolicy = new EdgePolicy(this, 'EdgePolicy');
    const streamFailures = lastResortQueue(
      this,
      'StreamFailures',
      stage,
      'A reader of the table gave up on records; the minute tick repairs what they meant.',
    );
    const scheduler = new Scheduler(this, 'Scheduler', { table, streamFailures, stage });
    new Rollup(this, 'Rollup', { table, streamFailures, stage });
    new EdgeReports(this, 'EdgeReports', { table, stage });
    new MinuteTick(this, 'MinuteTick', { table, stage });
    const dashboardOrigin = new CfnParameter(this, 'DashboardOrigin', {
      description: 'The one origin whose pages may call the API from a browser',
      default: 'http://localhost:4569',
    });
    new HttpApi(this, 'Api', {
      stage,
      table,
      adminToken,
      edgePolicyName: edgePolicy.policyName,
      trustAnchor: trustAnchor.valueAsString,
      dashboardOrigin: dashboardOrigin.valueAsString,
    });
    void scheduler;

    new CfnOutput(this, 'AdminToken', { value: adminToken.secretArn });
    new CfnOutput(this, 'TableName', { value: table.table.tableName });
  }

  private adminToken(stage: Stage): Secret {
    const secret = new Secret(this, 'AdminTokenSecret', {
      description: 'Token with every scope, to start with; make narrower ones with it',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: stage.removalPolicy,
    });
    pinLogicalId(secret, 'AdminTokenSecret', 'a new secret would lock out who holds the old one');
    acceptFinding(
      secret,
      'AwsSolutions-SMG4',
      'it is rotated by hand: whoever rotates it must hand it to the people who use it',
    );
    return secret;
  }
}
