import { CfnOutput, Duration } from 'aws-cdk-lib';
import {
  type CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  HttpApi as GatewayApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
} from 'aws-cdk-lib/aws-apigatewayv2';
import {
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
} from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type ApiFunction, routeKeyOf } from '../../core/contract/routes.ts';
import { EdgeRemovals } from '../edge/edge-removals.ts';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { alarmWhen } from '../frame/alarm.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import { pinLogicalId, pinnedId } from '../frame/logical-id.ts';
import type { OwnName } from '../frame/own-name.ts';
import { type SignIn, signInVariables } from '../frame/sign-in.ts';
import type { Stage } from '../frame/stage.ts';
import { allowPasses, allowShadow } from '../scheduling/scheduler.ts';
import { ApiName } from './api-name.ts';
import {
  apiFunctions,
  apiThrottle,
  routesOf,
  routeThrottles,
  servedFunctions,
} from './api-routes.ts';
import { EventStream } from './event-stream.ts';
import { allowObjects } from './object-grants.ts';
import { OutputsBucket } from './outputs-bucket.ts';

export type HttpApiProps = {
  readonly stage: Stage;
  readonly table: EdgewiseTable;
  /** Where looks at a cell are asked for that are due before the next tick. */
  readonly timers: Queue;
  readonly adminTokenArn: string;
  readonly edgePolicyName: string;
  /** PEM of the authority that edges trust for the broker. */
  readonly trustAnchor: string;
  /** Where edges connect to the broker; empty for where IoT Core says. */
  readonly mqttEndpoint: string;
  /** The one origin whose pages may call the API from a browser. */
  readonly dashboardOrigin: string;
  readonly signIn: SignIn | null;
  /** Whether webhooks may name the machine itself: `allowed` or `refused`. */
  readonly loopbackReceivers: string;
  /** A name of one's own for the API. */
  readonly own: OwnName | null;
};

/**
 * The HTTP API: a handful of functions, each with no more rights than its routes need, behind one
 * authorizer that says who calls. The gateway does not keep its answers, because then it would
 * refuse who sends no token in words of its own; the authorizer itself remembers for five seconds.
 */
export class HttpApi extends Construct {
  readonly url: string;
  /** Where answers stream, with a slash at its end. */
  readonly streamUrl: string;
  readonly api: GatewayApi;
  private readonly functions = new Map<ApiFunction, EdgewiseFunction>();
  private readonly routes = new Map<string, HttpRoute>();

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const outputs = new OutputsBucket(this, 'Outputs', { stage: props.stage });
    const environment = {
      TABLE_NAME: props.table.table.tableName,
      OUTPUTS_BUCKET: outputs.bucket.bucketName,
    };
    for (const name of servedFunctions()) {
      const { description, memoryMb, timeoutSeconds } = apiFunctions[name];
      const fn = new EdgewiseFunction(this, name, {
        entry: `api/${name}`,
        description,
        stage: props.stage,
        environment: { ...environment, ...variablesOf(name, props) },
        memoryMb,
        timeoutSeconds,
        alarm: answersAreWatched,
      });
      this.functions.set(name, fn);
    }
    this.streamUrl = this.streamEvents(props);
    this.api = this.gateway(props);
    this.grant(props, outputs);
    this.addRoutes(this.authorizer(props));
    this.tune(props.stage);
    this.url = this.api.apiEndpoint;
    const { apiId } = this.api;
    const gatewayStage = this.api.defaultStage?.node.defaultChild as CfnStage;
    if (props.own !== null) {
      new ApiName(this, 'Name', { apiId, stage: gatewayStage, own: props.own });
    }
    const output = new CfnOutput(this, 'Url', { value: this.url });
    pinLogicalId(output, 'ApiUrl', 'scripts look for this output');
  }

  private gateway(props: HttpApiProps): GatewayApi {
    return new GatewayApi(this, 'Gateway', {
      apiName: props.stage.stackName,
      description: 'Edgewise',
      corsPreflight: {
        allowOrigins: [props.dashboardOrigin],
        allowMethods: [
          CorsHttpMethod.GET,
          CorsHttpMethod.HEAD,
          CorsHttpMethod.POST,
          CorsHttpMethod.PUT,
          CorsHttpMethod.PATCH,
          CorsHttpMethod.DELETE,
        ],
        allowHeaders: [
          'authorization',
          'content-type',
          'idempotency-key',
          'if-match',
          'if-none-match',
        ],
        exposeHeaders: [
          'etag',
          'location',
          'retry-after',
          'x-request-id',
          'edgewise-attempt',
          'edgewise-next-offset',
          'edgewise-omitted',
          'edgewise-complete',
        ],
        maxAge: Duration.hours(1),
      },
    });
  }

  private authorizer(props: HttpApiProps): HttpLambdaAuthorizer {
    const fn = new EdgewiseFunction(this, 'authorizer', {
      entry: 'api/authorizer',
      description: 'Finds out who holds a bearer token',
      stage: props.stage,
      environment: {
        TABLE_NAME: props.table.table.tableName,
        ADMIN_TOKEN_ARN: props.adminTokenArn,
        ...signInVariables(props.signIn),
      },
      timeoutSeconds: 5,
      alarm: answersAreWatched,
    });
    fn.allow(['dynamodb:GetItem'], [props.table.table.tableArn]);
    fn.allow(['secretsmanager:GetSecretValue'], [props.adminTokenArn]);
    return new HttpLambdaAuthorizer('Caller', fn.lambda, {
      authorizerName: 'caller',
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      identitySource: [],
      resultsCacheTtl: Duration.seconds(0),
    });
  }

  /** Beside the gateway, which gives whole answers only. */
  private streamEvents(props: HttpApiProps): string {
    const stream = new EventStream(this, 'EventStream', props);
    for (const name of ['public', 'live', 'graphql'] as const) {
      this.functions.get(name)?.lambda.addEnvironment('EVENT_STREAM_URL', stream.url);
    }
    return stream.url;
  }

  private addRoutes(authorizer: HttpLambdaAuthorizer): void {
    for (const [name, fn] of this.functions) {
      const integration = new HttpLambdaIntegration(name, fn.lambda);
      for (const route of routesOf(name)) {
        const [added] = this.api.addRoutes({
          path: route.path,
          methods: [HttpMethod[route.method]],
          integration,
          authorizer: route.access === null ? new HttpNoneAuthorizer() : authorizer,
        });
        if (added === undefined) continue;
        this.routes.set(routeKeyOf(route), added);
        if (route.access !== null) continue;
        acceptFinding(added, 'AwsSolutions-APIG4', 'it says nothing that is not public');
      }
      if (name === 'public') this.addDefault(integration);
    }
  }

  /** What no route takes, not even `/`, is answered as an error of ours, not of the gateway. */
  private addDefault(integration: HttpLambdaIntegration): void {
    const added = new HttpRoute(this, 'AnythingElse', {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      integration,
      authorizer: new HttpNoneAuthorizer(),
    });
    acceptFinding(added, 'AwsSolutions-APIG4', 'it only says that there is no such address');
  }

  private grant(props: HttpApiProps, outputs: OutputsBucket): void {
    const { table } = props;
    const readOnly: readonly ApiFunction[] = ['jobs-read', 'files'];
    for (const [name, fn] of this.functions) {
      if (name === 'public') continue;
      table.allowReads(fn, { lists: true });
      if (!readOnly.includes(name)) table.allowWrites(fn);
    }
    for (const name of ['jobs-write', 'clusters'] as const) {
      const fn = this.functions.get(name);
      if (fn !== undefined) allowPasses(fn, props.timers, props.stage);
    }
    const link = this.functions.get('edge-link');
    if (link !== undefined) allowShadow(link, props.stage, 'work', ['iot:GetThingShadow']);
    const live = this.functions.get('live');
    if (live !== undefined) allowShadow(live, props.stage, 'work', ['iot:UpdateThingShadow']);
    allowObjects(this.functions, outputs.bucket, pinnedId(this, 'Outputs'));
    const enrol = this.functions.get('enrol');
    if (enrol !== undefined) {
      new EdgeRemovals(this, 'Removals', { ...props, enrol, documents: outputs.bucket });
    }
  }

  /** The access log and the speed limits, on the stage that the gateway made. */
  private tune(stage: Stage): void {
    const log = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    const gatewayStage = this.api.defaultStage?.node.defaultChild as CfnStage;
    gatewayStage.accessLogSettings = { destinationArn: log.logGroupArn, format: accessLogFormat };
    gatewayStage.defaultRouteSettings = {
      throttlingRateLimit: apiThrottle.ratePerSecond,
      throttlingBurstLimit: apiThrottle.burst,
      detailedMetricsEnabled: true,
    };
    alarmWhen(this, 'Failing', stage, {
      metric: this.api.metricServerError({ period: Duration.minutes(5), statistic: 'sum' }),
      above: 0,
      periods: 2,
      description: 'The API answers 5xx again and again; the access log says on which routes.',
    });
    gatewayStage.routeSettings = Object.fromEntries(
      Object.entries(routeThrottles).flatMap(([key, throttle]) => {
        const route = this.routes.get(key);
        if (route === undefined) return [];
        // The gateway looks for the route when the stage is made, and it is made early.
        gatewayStage.addResourceDependency(route.node.defaultChild as CfnRoute);
        const { ratePerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit } = throttle;
        return [[key, { ThrottlingRateLimit, ThrottlingBurstLimit }]];
      }),
    );
  }
}

function variablesOf(name: ApiFunction, props: HttpApiProps): Record<string, string> {
  if (name === 'public') return signInVariables(props.signIn);
  return namingReceivers.has(name) ? { LOOPBACK_RECEIVERS: props.loopbackReceivers } : {};
}

/** Those through which a user names an address that events are sent to. */
const namingReceivers: ReadonlySet<ApiFunction> = new Set([
  'webhooks',
  'jobs-write',
  'schedules',
  'graphql',
]);

/**
 * The functions catch what goes wrong and answer it, so their own count of errors would stay at
 * zero.
 */
const answersAreWatched = {
  none: 'one alarm on the 5xx answers of the API sees the failures of all its functions',
};

const accessLogFormat = JSON.stringify({
  requestId: '$context.requestId',
  at: '$context.requestTimeEpoch',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  ms: '$context.responseLatency',
  authorizerError: '$context.authorizer.error',
  integrationError: '$context.integrationErrorMessage',
});
