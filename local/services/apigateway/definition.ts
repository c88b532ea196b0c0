/**
 * What a template says about one HTTP API, resolved. The parts are separate resources and are added
 * one by one.
 */
export type ApiDefinition = {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly cors: CorsSettings | undefined;
  readonly integrations: Map<string, IntegrationDefinition>;
  readonly authorizers: Map<string, AuthorizerDefinition>;
  readonly routes: RouteDefinition[];
  stage: StageDefinition | undefined;
};

export type CorsSettings = {
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  readonly maxAgeSeconds: number | undefined;
};

export type IntegrationDefinition = {
  readonly functionArn: string;
  readonly timeoutMs: number;
};

export type AuthorizerDefinition = {
  readonly id: string;
  readonly name: string;
  readonly functionArn: string;
  readonly identitySources: readonly string[];
  readonly ttlSeconds: number;
};

export type RouteDefinition = {
  readonly logicalId: string;
  /** `GET /v1/jobs/{id}`, `ANY /{proxy+}` or `$default`. */
  readonly key: string;
  readonly integrationId: string;
  readonly authorizerId: string | undefined;
};

export type Throttle = {
  readonly ratePerSecond: number;
  readonly burst: number;
};

export type StageDefinition = {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly accessLog: { logGroup: string; format: string } | undefined;
  readonly throttle: Throttle | undefined;
  readonly routeThrottles: ReadonlyMap<string, Throttle>;
};
