/**
 * What the resource types build: everything that the template asks for, resolved, before anything
 * of it runs. `cloud.ts` starts the services from it.
 */
import type { Account } from './account.ts';
import type { Json, JsonObject } from './assembly/assembly.ts';
import type { HostCheck } from './engine/host-check.ts';
import type { ApiDefinition, CorsSettings } from './services/apigateway/definition.ts';
import type { DistributionDefinition, ViewerFunction } from './services/cloudfront/definition.ts';
import type { AlarmDefinition } from './services/cloudwatch/alarm-definition.ts';
import type { DatabaseClient } from './services/dynamodb/client.ts';
import type { TableDescription } from './services/dynamodb/description.ts';
import type { EventRule } from './services/events/bus.ts';
import type { RoleBook } from './services/iam/roles.ts';
import type { ResolvedPolicy } from './services/iot/policy/policy.ts';
import type { ResolvedTopicRule } from './services/iot/rules/rules.ts';
import type { FunctionDefinition } from './services/lambda/definition.ts';
import type { QueueMapping } from './services/lambda/event-sources/queue/mapping.ts';
import type { StreamMapping } from './services/lambda/event-sources/stream/mapping.ts';
import type { QueuesAndBuckets } from './services/queues-and-buckets.ts';
import type { ScheduleDefinition } from './services/scheduler/definition.ts';
import type { SecretStore } from './services/secrets/store.ts';

/** What a function may be called by without a role: the `AWS::Lambda::Permission`s. */
export type InvokePermission = {
  readonly functionName: string;
  readonly action: string;
  readonly principal: string;
  readonly sourceArn: string | undefined;
};

/** A function that is asked without a gateway. */
export type FunctionUrl = {
  readonly functionArn: string;
  readonly url: string;
  readonly cors: CorsSettings | undefined;
};

export type Table = {
  readonly name: string;
  /** ARN as the template sees it. */
  readonly arn: string;
  readonly streamArn: string | undefined;
  /** The attribute by which items are divided. */
  readonly partitionKey: string;
  readonly description: TableDescription;
  /** The same ARNs in the engine, whose region has another name. */
  readonly engineStreamArn: string | undefined;
};

export type World = {
  readonly account: Account;
  readonly gatewayUrl: string;
  readonly isKnownHost: HostCheck;
  /** Address of the n-th HTTP API of the template. */
  apiUrl(index: number): string;
  /** Address of the n-th distribution of the template. */
  siteUrl(index: number): string;
  /** Address of the n-th function of the template that has one. */
  functionUrl(index: number): string;
  readonly stateDir: string;
  readonly database: DatabaseClient;
  readonly queues: QueuesAndBuckets;
  readonly roles: RoleBook;
  readonly secrets: SecretStore;
  assetPath(objectKey: string): string | undefined;
  timeToLive(tableName: string, attributeName: string): Promise<void>;

  /** How many shards the stream of a table has. */
  readonly streamShards: number;
  readonly tables: Map<string, Table>;
  readonly functions: Map<string, FunctionDefinition>;
  readonly permissions: InvokePermission[];
  /** By name; how long lines are kept, for those who ask. */
  readonly logGroups: Map<string, { readonly retentionDays: number | undefined }>;
  readonly streamMappings: StreamMapping[];
  readonly queueMappings: QueueMapping[];
  readonly apis: Map<string, ApiDefinition>;
  readonly functionUrls: FunctionUrl[];
  readonly distributions: DistributionDefinition[];
  readonly viewerFunctions: Map<string, ViewerFunction>;
  /** By id of the response headers policy. */
  readonly responseHeaders: Map<string, Readonly<Record<string, string>>>;
  readonly schedules: ScheduleDefinition[];
  readonly topicRules: ResolvedTopicRule[];
  /** ARNs by name; not the one that every account has. */
  readonly eventBuses: Map<string, string>;
  readonly eventRules: EventRule[];
  readonly iotPolicies: ResolvedPolicy[];
  readonly alarms: AlarmDefinition[];
  /** Functions that a service shall invoke: checked once all permissions are known. */
  readonly laterChecks: {
    path: string;
    functionArn: string;
    service: string;
    ruleArn: string;
  }[];
  /** What of the template is not run, and why. */
  readonly ignored: { path: string; reason: string }[];
};

export type Created = {
  readonly ref: Json;
  readonly attributes: JsonObject;
};

export type ResourceRequest = {
  readonly logicalId: string;
  readonly path: string;
  readonly properties: JsonObject;
  readonly world: World;
  /** True when this resource is created after that one, whatever else happens at the time. */
  waitsFor(logicalId: string): boolean;
};

/** One resource type of CloudFormation. */
export type ResourceType = {
  readonly used: readonly string[];
  /** Properties that are read over, each with the reason why that is safe. */
  readonly ignored: Readonly<Record<string, string>>;
  create(request: ResourceRequest): Created | Promise<Created>;
};
