import { Aws, CfnCondition, CfnOutput, Fn, type RemovalPolicy, Token } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { HttpApi } from './api/http-api.ts';
import { EdgePolicy } from './edge/edge-policy.ts';
import { EdgeReports } from './edge/edge-reports.ts';
import { amazonRootCa1 } from './edge/trust-anchor.ts';
import { acceptFinding } from './frame/accepted-finding.ts';
import { lastResortQueue } from './frame/edgewise-queue.ts';
import { EdgewiseTable } from './frame/edgewise-table.ts';
import { pinLogicalId, setLogicalIdPrefix } from './frame/logical-id.ts';
import type { OwnName } from './frame/own-name.ts';
import type { SignIn } from './frame/sign-in.ts';
import { makeStage, type Stage } from './frame/stage.ts';
import { EventDeliveries } from './scheduling/event-deliveries.ts';
import { MinuteTick } from './scheduling/minute-tick.ts';
import { Rollup } from './scheduling/rollup.ts';
import { Scheduler } from './scheduling/scheduler.ts';
import { SubmissionSweep } from './scheduling/submission-sweep.ts';
import { DashboardSite } from './site/dashboard-site.ts';
import { signInSources } from './site/sign-in-sources.ts';

export type { OwnName } from './frame/own-name.ts';
export type { SignIn } from './frame/sign-in.ts';

/** What may be chosen about an Edgewise in an app of your own; nothing has to be. */
export type EdgewiseProps = {
  /**
   * The name that tells it from others in the account and region: two to sixteen small letters,
   * digits and dashes. Its edges are things of this name in IoT Core. By default the construct's
   * id in small letters.
   */
  readonly stage?: string;
  /**
   * What becomes of table, buckets, token and logs when the stack goes. By default they stay,
   * except for stages called `trial` or `trial-…`.
   */
  readonly removalPolicy?: RemovalPolicy;
  /** What alarms tell; by default they only show in the console. */
  readonly alarmsTo?: Pick<ITopic, 'topicArn'>;
  /** PEM of the authority that edges trust for the broker; Amazon's by default. */
  readonly trustAnchor?: string;
  /** `HOST` or `HOST:PORT` where edges connect, when it is not where IoT Core says. */
  readonly mqttEndpoint?: string;
  /** The origin of a dashboard on another host whose pages may call the API. */
  readonly dashboardOrigin?: string;
  /** A name of your own for the API, beside the one that AWS gives it. */
  readonly apiName?: OwnName;
  /** A name of your own for the dashboard, with a certificate of us-east-1. */
  readonly dashboardName?: OwnName;
  /** Where people sign in; without it there are tokens only. */
  readonly signIn?: SignIn;
  /**
   * `allowed`: events may also be sent to the machine itself, which is another program only where
   * everything runs on one. By default that is `refused`.
   */
  readonly loopbackReceivers?: string;
  /** The code of each function, by its name; by default what comes with the construct. */
  readonly functionCode?: (name: string) => Code;
};

/**
 * All of Edgewise, for any stack: a map of the parts; each is a construct in a file of its own. It
 * is some 370 of the 500 resources that a stack may have.
 */
export class Edgewise extends Construct {
  /** `https://…` of the API, without a path. */
  readonly apiUrl: string;
  readonly dashboardUrl: string;
  /** Where the files of the dashboard belong. */
  readonly dashboardBucketName: string;
  /** The token with every scope. */
  readonly adminToken: Secret;
  readonly table: TableV2;
  /** What happens to jobs and edges, for rules of your own. */
  readonly eventBus: EventBus;

  constructor(scope: Construct, id: string, props: EdgewiseProps = {}) {
    super(scope, id);
    setLogicalIdPrefix(this);
    const stage = makeStage(props.stage ?? id.toLowerCase(), {
      removalPolicy: props.removalPolicy,
      alarmTopicArn: props.alarmsTo?.topicArn,
      functionCode: props.functionCode,
    });
    this.adminToken = this.firstToken(stage);
    const adminTokenArn = (this.adminToken.node.defaultChild as CfnSecret).attrId;
    const table = new EdgewiseTable(this, 'Data', { stage });
    this.table = table.table;
    const edgePolicy = new EdgePolicy(this, 'EdgePolicy');
    const streamFailures = lastResortQueue(
      this,
      'StreamFailures',
      stage,
      'A reader of the table gave up on records; the minute tick repairs what they meant.',
    );
    const { timers } = new Scheduler(this, 'Scheduler', { table, streamFailures, stage });
    const loopbackReceivers = props.loopbackReceivers ?? 'refused';
    const events = new EventDeliveries(this, 'Events', { table, stage, loopbackReceivers });
    const eventWakes = events.wakes;
    this.eventBus = events.bus;
    new Rollup(this, 'Rollup', { table, streamFailures, eventWakes, stage });
    new EdgeReports(this, 'EdgeReports', { table, timers, stage });
    new MinuteTick(this, 'MinuteTick', { table, stage });
    new SubmissionSweep(this, 'SubmissionSweep', { table, stage });
    const http = new HttpApi(this, 'Http', {
      stage,
      table,
      timers,
      adminTokenArn,
      edgePolicyName: edgePolicy.policyName,
      trustAnchor: props.trustAnchor ?? amazonRootCa1,
      mqttEndpoint: props.mqttEndpoint ?? '',
      dashboardOrigin: props.dashboardOrigin ?? '',
      signIn: props.signIn ?? null,
      loopbackReceivers,
      own: props.apiName ?? null,
    });
    this.allowOrigin(http, props.dashboardOrigin ?? '');
    this.apiUrl = http.url;
    const site = new DashboardSite(this, 'Dashboard', {
      apiUrl: http.url,
      stage,
      streamUrl: http.streamUrl,
      signInSources: signInSources(this, props.signIn),
      own: props.dashboardName ?? null,
    });
    this.dashboardUrl = site.url;
    this.dashboardBucketName = site.bucketName;
    this.tell({ AdminToken: adminTokenArn, TableName: table.table.tableName });
    this.tell({ EventBusName: events.bus.eventBusName });
  }

  /** What people and programs look for after a deployment. */
  private tell(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      pinLogicalId(new CfnOutput(this, name, { value }), name, 'scripts look for this output');
    }
  }

  /** Without a foreign dashboard no browser page of another origin may call the API at all. */
  private allowOrigin(http: HttpApi, origin: string): void {
    const api = http.api.node.defaultChild as CfnApi;
    if (origin === '') api.corsConfiguration = undefined;
    if (!Token.isUnresolved(origin)) return;
    const given = new CfnCondition(this, 'HasDashboardOrigin', {
      expression: Fn.conditionNot(Fn.conditionEquals(origin, '')),
    });
    // Inside a condition the library no longer turns names into those of the template.
    const cors = Object.entries(api.corsConfiguration as CfnApi.CorsProperty).map(
      ([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value],
    );
    api.corsConfiguration = Fn.conditionIf(given.logicalId, Object.fromEntries(cors), Aws.NO_VALUE);
  }

  /** Known by its attribute: what a reference to a secret gives is not the same everywhere. */
  private firstToken(stage: Stage): Secret {
    const secret = new Secret(this, 'AdminTokenSecret', {
      description: 'Token with every scope, to start with; make narrower ones with it',
      generateSecretString: {
        passwordLength: 48,
        excludePunctuation: true,
        excludeCharacters: punctuation,
      },
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

/** Said twice to what makes the token, because not everything knows both ways. */
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
