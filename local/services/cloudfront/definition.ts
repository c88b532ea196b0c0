/** What a template says about one CloudFront distribution, resolved. */
export type DistributionDefinition = {
  readonly id: string;
  readonly arn: string;
  readonly url: string;
  readonly rootObject: string | undefined;
  readonly origins: ReadonlyMap<string, Origin>;
  /** In the order in which paths are tried; the last one takes every path. */
  readonly behaviors: readonly Behavior[];
  readonly errorPages: ReadonlyMap<number, { path: string; status: number }>;
};

export type Origin =
  | { readonly kind: 'bucket'; readonly bucket: string; readonly path: string }
  | { readonly kind: 'server'; readonly url: string; readonly path: string };

export type Behavior = {
  readonly pathPattern: string;
  readonly originId: string;
  readonly methods: readonly string[];
  readonly viewerRequest: ViewerFunction | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

export type ViewerRequest = {
  readonly method: string;
  readonly uri: string;
  readonly querystring: Record<string, unknown>;
  readonly headers: Record<string, { value: string }>;
  readonly cookies: Record<string, { value: string }>;
};

export type ViewerAnswer = {
  readonly statusCode: number;
  readonly headers?: Record<string, { value: string }>;
  readonly body?: string | { encoding?: string; data: string };
};

/** A CloudFront function: returns the request, changed or not, or an answer of its own. */
export type ViewerFunction = (request: ViewerRequest) => ViewerRequest | ViewerAnswer;
