import {
  Aws,
  CfnCondition,
  CfnOutput,
  CfnParameter,
  Fn,
  Stack,
  type StackProps,
} from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { HttpApi } from './api/http-api.ts';
import { EdgePolicy } from './edge/edge-policy.ts';
import { EdgeReports } from './edge/edge-reports.ts';
import { amazonRootCa1 } from './edge/trust-anchor.ts';
import { acceptFinding } from './frame/accepted-finding.ts';
import { lastResortQueue } from './frame/edgewise-queue.ts';
import { EdgewiseTable } from './frame/edgewise-table.ts';
import { pinLogicalId } from './frame/logical-id.ts';
import type { Stage } from './frame/stage.ts';
import { MinuteTick } from './scheduling/minute-tick.ts';
import { Rollup } from './scheduling/rollup.ts';
import { Scheduler } from './scheduling/scheduler.ts';
import { DashboardSite } from './site/dashboard-site.ts';

/** All of Edgewise in one stack: a map of the parts; each is a construct in a file of its own. */
export class EdgewiseStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & { readonly stage: Stage }) {
    super(scope, id, props);
    const { stage } = props;
    const trustAnchor = new CfnParameter(this, 'EdgeTrustAnchor', {
      description: 'PEM of the certificate authority that edges trust for the MQTT endpoint',
      default: amazonRootCa1,
    });
    const dashboardOrigin = new CfnParameter(this, 'DashboardOrigin', {
      description: 'Origin of a dashboard on another host that may call the API; empty for none',
      default: '',
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
    new Scheduler(this, 'Scheduler', { table, streamFailures, stage });
    new Rollup(this, 'Rollup', { table, streamFailures, stage });
    new EdgeReports(this, 'EdgeReports', { table, stage });
    new MinuteTick(this, 'MinuteTick', { table, stage });
    const http = new HttpApi(this, 'Http', {
      stage,
      table,
      adminToken,
      edgePolicyName: edgePolicy.policyName,
      trustAnchor: trustAnchor.valueAsString,
      dashboardOrigin: dashboardOrigin.valueAsString,
    });
    this.allowOrigin(http, dashboardOrigin);
    new DashboardSite(this, 'Dashboard', { apiUrl: http.url });

    new CfnOutput(this, 'AdminToken', { value: adminToken.secretArn });
    new CfnOutput(this, 'TableName', { value: table.table.tableName });
  }

  /** Without a foreign dashboard no browser page of another origin may call the API at all. */
  private allowOrigin(http: HttpApi, origin: CfnParameter): void {
    const given = new CfnCondition(this, 'HasDashboardOrigin', {
      expression: Fn.conditionNot(Fn.conditionEquals(origin.valueAsString, '')),
    });
    const api = http.api.node.defaultChild as CfnApi;
    // Inside a condition the library no longer turns names into those of the template.
    const cors = Object.entries(api.corsConfiguration as CfnApi.CorsProperty).map(
      ([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value],
    );
    api.corsConfiguration = Fn.conditionIf(given.logicalId, Object.fromEntries(cors), Aws.NO_VALUE);
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
