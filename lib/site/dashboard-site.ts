import { Aws, CfnOutput, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  type CfnDistribution,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acceptFinding } from '../frame/accepted-finding.ts';
import { pinLogicalId } from '../frame/logical-id.ts';
import { conditionOf, type OwnName } from '../frame/own-name.ts';
import type { Stage } from '../frame/stage.ts';
import { hstsDays } from '../limits.ts';
import {
  assetCacheControl,
  dashboardHeaders,
  dashboardPolicy,
  pageCacheControl,
} from './dashboard-headers.ts';

/**
 * The dashboard in the cloud: a private bucket behind CloudFront, and the API behind the same name
 * under `/v1`.
 *
 * One origin for page and API means no CORS, a policy that lets the page connect to nobody else
 * but the address that streams, and no circle between the API (which would have to know the page)
 * and the page (which has to know the API). The files are copied by `aws s3 sync` after the
 * deployment: a custom resource would bring a second lambda with its own role and runtime into the
 * stack for what one command does. See docs/decisions.
 */
export type DashboardSiteProps = {
  /** `https://host` of the API, without a path. */
  readonly apiUrl: string;
  readonly stage: Stage;
  /** Where answers stream: the page connects there, and nowhere else beside its own origin. */
  readonly streamUrl: string;
  /** What the page connects to while somebody signs in. */
  readonly signInSources: string;
  /** A name of one's own for the page. */
  readonly own: OwnName | null;
};

const headersOfTheirOwn = new Set(['x-content-type-options', 'referrer-policy', 'x-frame-options']);

export class DashboardSite extends Construct {
  readonly url: string;
  readonly bucketName: string;
  private readonly stage: Stage;
  private readonly policy: string;

  constructor(scope: Construct, id: string, props: DashboardSiteProps) {
    super(scope, id);
    this.stage = props.stage;
    this.policy = dashboardPolicy(`${props.streamUrl} ${props.signInSources}`);
    const bucket = this.files();
    const origin = S3BucketOrigin.withOriginAccessControl(bucket as IBucket, {
      originAccessControl: new S3OriginAccessControl(this, 'FilesAccess', {
        originAccessControlName: this.worldwide('files'),
      }),
    });
    const common = {
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
    };
    const api = this.api(props.apiUrl);
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Edgewise dashboard and API',
      defaultRootObject: 'index.html',
      defaultBehavior: {
        ...common,
        origin,
        responseHeadersPolicy: this.headers('page', pageCacheControl),
        functionAssociations: [
          { function: this.pages(), eventType: FunctionEventType.VIEWER_REQUEST },
        ],
      },
      additionalBehaviors: {
        '/assets/*': {
          ...common,
          origin,
          responseHeadersPolicy: this.headers('asset', assetCacheControl),
        },
        '/v1/*': api,
        '/openapi.json': api,
      },
    });
    if (props.own !== null) this.answerTo(props.own, distribution);
    this.acceptFindings(distribution);
    this.url = `https://${distribution.distributionDomainName}`;
    this.bucketName = bucket.bucketName;
    const tell = (id: string, name: string, value: string): void =>
      pinLogicalId(new CfnOutput(this, id, { value }), name, 'scripts look for this output');
    tell('UrlOutput', 'DashboardUrl', this.url);
    tell('FilesOutput', 'DashboardBucket', this.bucketName);
  }

  private answerTo(own: OwnName, distribution: Distribution): void {
    const given = conditionOf(this, 'NameGiven', own);
    const settings = {
      Aliases: [own.name],
      ViewerCertificate: {
        AcmCertificateArn: own.certificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    };
    const resource = distribution.node.defaultChild as CfnDistribution;
    for (const [name, value] of Object.entries(settings)) {
      const wanted = given === null ? value : Fn.conditionIf(given.logicalId, value, Aws.NO_VALUE);
      resource.addPropertyOverride(`DistributionConfig.${name}`, wanted);
    }
  }

  /** CloudFront has one list of names for all regions of an account. */
  private worldwide(name: string): string {
    return `${this.stage.stackName}-${Aws.REGION}-${name}`;
  }

  private files(): Bucket {
    const bucket = new Bucket(this, 'Files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Emptying it needs a custom resource, and a bucket that is not empty would stop the stack's
      // deletion.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    pinLogicalId(bucket, 'DashboardFiles', 'a new bucket would be empty until the next sync');
    acceptFinding(
      bucket,
      'AwsSolutions-S1',
      'it holds the published page only and CloudFront alone may read it',
    );
    return bucket;
  }

  /**
   * Addresses of pages are no files: those without a dot get the page. `config.json` is answered
   * here, so that the bucket holds nothing that differs between deployments.
   */
  private pages(): EdgeFunction {
    return new EdgeFunction(this, 'Pages', {
      functionName: this.worldwide('pages'),
      comment: 'Page addresses and config.json of the Edgewise dashboard',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(pagesFunction),
    });
  }

  private headers(of: 'page' | 'asset', cacheControl: string): ResponseHeadersPolicy {
    const custom = { ...dashboardHeaders, 'cache-control': cacheControl };
    const id = { page: 'PageHeaders', asset: 'AssetHeaders' }[of];
    return new ResponseHeadersPolicy(this, id, {
      responseHeadersPolicyName: this.worldwide(`${of}-headers`),
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy: this.policy, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: {
          accessControlMaxAge: Duration.days(hstsDays),
          includeSubdomains: true,
          override: true,
        },
      },
      customHeadersBehavior: {
        customHeaders: Object.entries(custom)
          .filter(([header]) => !headersOfTheirOwn.has(header))
          .map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }

  private api(apiUrl: string): BehaviorOptions {
    return {
      origin: new HttpOrigin(Fn.select(2, Fn.split('/', apiUrl))),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    };
  }

  private acceptFindings(distribution: Distribution): void {
    const reasons = {
      CFR1: 'an operator may look at the fleet from anywhere; the token decides, not the country',
      CFR2:
        'the files are public and the API throttles and authorises itself; ' +
        'a WAF costs more than an idle stack',
      CFR3: 'the page holds no data, and every call that does is in the access log of the API',
      CFR4:
        'the default certificate fixes the oldest protocol; ' +
        'a deployment with its own name sets its own',
    };
    for (const [rule, reason] of Object.entries(reasons)) {
      acceptFinding(distribution, `AwsSolutions-${rule}`, reason);
    }
  }
}

const pagesFunction = `function handler(event) {
  var request = event.request;
  if (request.uri === '/config.json') {
    return {
      statusCode: 200,
      statusDescription: 'OK',
      headers: {
        'content-type': { value: 'application/json' },
        'cache-control': { value: 'no-store' },
        'x-content-type-options': { value: 'nosniff' },
      },
      body: { encoding: 'text', data: '{"api":"/"}' },
    };
  }
  if (request.uri.lastIndexOf('.') <= request.uri.lastIndexOf('/')) request.uri = '/index.html';
  return request;
}
`;
