import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnApi, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { afterAll, describe, expect, test } from 'vitest';
import { outputDirectory, removeOutputs } from './synthesized.ts';
import { deployErrors } from './template-rules.ts';

afterAll(removeOutputs);

describe('a stage with settings of a route', () => {
  function withStage(routeKey: string, waits: (stage: CfnStage, route: CfnRoute) => void) {
    const stack = new Stack(new App({ analyticsReporting: false, outdir: outputDirectory() }));
    const api = new CfnApi(stack, 'Api', { protocolType: 'HTTP', name: 'a' });
    const route = new CfnRoute(stack, 'Route', { apiId: api.ref, routeKey: 'POST /jobs' });
    const routeSettings = { [routeKey]: { ThrottlingRateLimit: 1 } };
    const stage = new CfnStage(stack, 'Live', {
      apiId: api.ref,
      stageName: '$default',
      routeSettings,
    });
    waits(stage, route);
    return deployErrors(Template.fromStack(stack));
  }

  test('that it does not wait for is found', () => {
    const sentence = 'Live has settings of POST /jobs and does not depend on that route';
    expect(withStage('POST /jobs', () => undefined)).toEqual([sentence]);
  });

  test('that is not there is found', () => {
    const found = withStage('GET /jobs', (stage, route) => stage.addDependency(route));
    expect(found).toEqual(['Live has settings of GET /jobs and does not depend on that route']);
  });

  test('that it waits for is right', () => {
    expect(withStage('POST /jobs', (stage, route) => stage.addDependency(route))).toEqual([]);
  });
});
