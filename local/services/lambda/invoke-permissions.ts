/**
 * Functions that a service invokes without a role need an `AWS::Lambda::Permission`. On AWS a
 * missing one shows at the first call, as an error that names neither the function nor the
 * permission; here it stops the start.
 */
import { arnOf } from '../../account.ts';
import { StartFailure } from '../../failure.ts';
import type { World } from '../../world.ts';
import { matchesPattern } from '../iam/wildcard.ts';
import { functionNameOf } from './service.ts';

export function checkPermissions(world: World): void {
  for (const { path, functionArn, service, ruleArn } of world.laterChecks) {
    requirePermission(world, path, functionArn, service, ruleArn);
  }
  for (const { functionArn } of world.functionUrls) requireEverybody(world, functionArn);
  const service = 'apigateway.amazonaws.com';
  for (const api of world.apis.values()) {
    const arn = (rest: string): string => arnOf(world.account, 'execute-api', `${api.id}/${rest}`);
    for (const route of api.routes) {
      const [method = '', path = ''] = route.key.split(' ');
      const integration = api.integrations.get(route.integrationId);
      const at = `the route ${route.key} of the API ${api.name}`;
      if (integration === undefined) throw new StartFailure(`${at} has no integration.`);
      const source = route.key === '$default' ? '$default/$default' : `$default/${method}${path}`;
      requirePermission(world, at, integration.functionArn, service, arn(source));
    }
    for (const authorizer of api.authorizers.values()) {
      const at = `the authorizer ${authorizer.name} of the API ${api.name}`;
      requirePermission(
        world,
        at,
        authorizer.functionArn,
        service,
        arn(`authorizers/${authorizer.id}`),
      );
    }
  }
}

/** "Starting in October 2025, new function URLs will require both" of these. */
function requireEverybody(world: World, functionArn: string): void {
  const name = functionNameOf(functionArn);
  for (const action of ['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction']) {
    const isAllowed = world.permissions.some(
      (it) => it.functionName === name && it.principal === '*' && it.action === action,
    );
    if (isAllowed) continue;
    throw new StartFailure(
      `the address of the function ${name}: nobody may call it, because an ` +
        `AWS::Lambda::Permission for ${action} is missing.`,
    );
  }
}

function requirePermission(
  world: World,
  path: string,
  functionArn: string,
  service: string,
  sourceArn: string,
): void {
  const name = functionNameOf(functionArn);
  if (!world.functions.has(name)) throw new StartFailure(`${path}: there is no function ${name}.`);
  const isAllowed = world.permissions.some(
    (permission) =>
      permission.functionName === name &&
      permission.principal === service &&
      (permission.sourceArn === undefined ||
        matchesPattern(permission.sourceArn, sourceArn.replaceAll('*', 'any')) ||
        permission.sourceArn === sourceArn),
  );
  if (isAllowed) return;
  throw new StartFailure(
    `${path}: ${service} may not invoke the function ${name} for ${sourceArn}; ` +
      'an AWS::Lambda::Permission is missing.',
  );
}
