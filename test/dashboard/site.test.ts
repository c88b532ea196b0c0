import { runInNewContext } from 'node:vm';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStage } from '../../lib/frame/stage.ts';
import { DashboardSite } from '../../lib/site/dashboard-site.ts';
import { outputDirectory, removeOutputs } from '../lib/synthesized.ts';

/**
 * The dashboard's part of the stack: private files, strict headers, one origin with the API, and
 * nothing that runs.
 */
let template: Template;
/** Synthesis loads all of the CDK, which takes its time on a busy machine. */
const synthMs = 120_000;

afterAll(removeOutputs);
beforeAll(() => {
  const app = new App({
    analyticsReporting: false,
    outdir: outputDirectory(),
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, 'Site');
  new DashboardSite(stack, 'Dashboard', {
    apiUrl: 'https://api.example.test',
    stage: makeStage('trial'),
    streamUrl: 'https://stream.example.test/',
    signInSources: '',
    own: null,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  template = Template.fromStack(stack);
}, synthMs);

type Request = { uri: string; statusCode?: number; body?: { data: string } };

function pagesFunction(): (event: { request: { uri: string } }) => Request {
  const [site] = Object.values(template.findResources('AWS::CloudFront::Function'));
  const code: string = site?.Properties.FunctionCode;
  return runInNewContext(`${code}; handler`) as (event: { request: { uri: string } }) => Request;
}

describe('the dashboard in the stack', () => {
  test('keeps the bucket private and readable by CloudFront alone', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    template.resourceCountIs('AWS::CloudFront::OriginAccessControl', 1);
  });

  test('has no custom resource and no function of its own', () => {
    template.resourceCountIs('AWS::Lambda::Function', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('Custom::');
  });

  test('lets the page run its own files and connect to its own origin and the stream', () => {
    const policies = Object.values(
      template.findResources('AWS::CloudFront::ResponseHeadersPolicy'),
    );
    expect(policies).toHaveLength(2);
    for (const { Properties } of policies) {
      const security = Properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig;
      const csp: string = security.ContentSecurityPolicy.ContentSecurityPolicy;
      expect(csp).toContain("default-src 'none'");
      const sources = "connect-src 'self' https://stream.example.test/;";
      expect(csp).toContain(sources);
      expect(csp).not.toContain('unsafe');
      expect(csp.replace(sources, '')).not.toContain('http');
    }
  });

  test('passes the API through, token and all, and caches none of it', () => {
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        CacheBehaviors: Match.arrayWith([
          Match.objectLike({ PathPattern: '/v1/*', ViewerProtocolPolicy: 'https-only' }),
        ]),
        Origins: Match.arrayWith([Match.objectLike({ DomainName: 'api.example.test' })]),
      },
    });
  });

  test.each([
    ['/', '/index.html'],
    ['/jobs', '/index.html'],
    ['/jobs/0mwlyluhx0000007pr', '/index.html'],
    ['/edges/edge-1', '/index.html'],
    ['/assets/index-abc.js', '/assets/index-abc.js'],
    ['/favicon.svg', '/favicon.svg'],
  ])('%s is the file %s', (uri, file) => {
    expect(pagesFunction()({ request: { uri } }).uri).toBe(file);
  });

  test('config.json says that the API is here', () => {
    const answer = pagesFunction()({ request: { uri: '/config.json' } });
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(answer.body?.data ?? '')).toEqual({ api: '/' });
  });
});
