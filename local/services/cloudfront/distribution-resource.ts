/** AWS::CloudFront::Distribution: one address in front of a bucket and servers, without a cache. */
import { globalArnOf, stableToken } from '../../account.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType, World } from '../../world.ts';
import type { Behavior, Origin } from './definition.ts';

const noCache = 'nothing is cached on this machine';
const noTls = 'there is no TLS on this machine';

export const cloudfrontDistribution: ResourceType = {
  used: ['DistributionConfig'],
  ignored: { Tags: 'tags do nothing' },
  create: ({ logicalId, path, properties, world }) => {
    const config = readerOf(properties, path)
      .object('DistributionConfig')
      .only(
        [
          'Enabled',
          'DefaultRootObject',
          'Origins',
          'CacheBehaviors',
          'DefaultCacheBehavior',
          'CustomErrorResponses',
        ],
        {
          Comment: 'a text for people',
          HttpVersion: 'HTTP/1.1 is spoken',
          IPV6Enabled: 'the address is the loopback address',
          PriceClass: 'there is one place only',
          ViewerCertificate: noTls,
          Logging: 'requests are not logged',
          Restrictions: 'everybody is here',
        },
      );
    const id = stableToken(`${world.account.stack}/${logicalId}`, 14);
    const url = world.siteUrl(world.distributions.length);
    const fallback = config.object('DefaultCacheBehavior');
    world.distributions.push({
      id,
      arn: globalArnOf('cloudfront', `distribution/${id}`),
      url,
      rootObject: config.optionalText('DefaultRootObject'),
      origins: new Map(
        config.objects('Origins').map((origin) => [origin.text('Id'), originOf(origin, world)]),
      ),
      behaviors: [
        ...config
          .objects('CacheBehaviors')
          .map((item) => behaviorOf(item, item.text('PathPattern'), world)),
        behaviorOf(fallback, '*', world),
      ],
      errorPages: new Map(
        config.objects('CustomErrorResponses').map((item) => [
          item.optionalNumber('ErrorCode') ?? 0,
          {
            path: item.text('ResponsePagePath'),
            status: item.optionalNumber('ResponseCode') ?? 200,
          },
        ]),
      ),
    });
    const domain = url.replace(/^https?:\/\//, '');
    return { ref: id, attributes: { Id: id, DomainName: domain } };
  },
};

function originOf(reader: Reader, world: World): Origin {
  reader.only(['Id', 'DomainName', 'OriginPath', 'S3OriginConfig', 'CustomOriginConfig'], {
    OriginAccessControlId: 'requests to the bucket are always signed',
    ConnectionAttempts: 'the origin is on this machine',
    ConnectionTimeout: 'the origin is on this machine',
    OriginCustomHeaders: 'origins do not ask for them',
  });
  const domain = reader.text('DomainName');
  const path = reader.optionalText('OriginPath') ?? '';
  const bucket = /^(.+?)\.s3(\.[a-z0-9-]+)?\.amazonaws\.com$/.exec(domain)?.[1];
  if (bucket !== undefined) return { kind: 'bucket', bucket, path };
  const local = [...world.apis.values()].find(
    (api) => api.url.endsWith(`//${domain}`) || domain.startsWith(`${api.id}.execute-api.`),
  );
  if (local !== undefined) return { kind: 'server', url: local.url, path };
  throw new StartFailure(`${reader.path}.DomainName: ${domain} is not on this machine.`);
}

function behaviorOf(reader: Reader, pathPattern: string, world: World): Behavior {
  reader.only(
    [
      'PathPattern',
      'TargetOriginId',
      'AllowedMethods',
      'FunctionAssociations',
      'ResponseHeadersPolicyId',
    ],
    {
      CachePolicyId: noCache,
      CachedMethods: noCache,
      OriginRequestPolicyId: 'everything of the request is passed on',
      Compress: 'answers are not compressed',
      ViewerProtocolPolicy: noTls,
    },
  );
  const functions = reader.objects('FunctionAssociations');
  const viewer = functions.find((item) => item.text('EventType') === 'viewer-request');
  if (functions.length > (viewer === undefined ? 0 : 1)) {
    throw new StartFailure(`${reader.path}.FunctionAssociations: only viewer-request is run.`);
  }
  const headersId = reader.optionalText('ResponseHeadersPolicyId');
  const methods = reader.texts('AllowedMethods');
  return {
    pathPattern,
    originId: reader.text('TargetOriginId'),
    methods: methods.length === 0 ? ['GET', 'HEAD'] : methods,
    viewerRequest:
      viewer === undefined ? undefined : world.viewerFunctions.get(viewer.text('FunctionARN')),
    headers: world.responseHeaders.get(headersId ?? '') ?? {},
  };
}
