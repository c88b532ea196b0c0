/**
 * CloudFormation, as far as it is asked what runs: the stack with its outputs, and its resources.
 * Stacks are made by starting the local cloud, not by a call.
 */

import type { ServerResponse } from 'node:http';
import { sendQueryAnswer, sendQueryError } from '../../engine/gateway/answer.ts';
import { operationOf } from '../../engine/gateway/named-operation.ts';
import { fromTemplate, type GatewayService, type Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { XmlValue } from '../../engine/gateway/xml.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { Stack } from './stack.ts';

type Result = { readonly [name: string]: XmlValue };
/** A text says what is wrong with the request. */
type Operation = (stack: Stack, form: URLSearchParams) => Result | string;

/** Without a stack's name it is about all of them, and here there is one. */
const operations: Readonly<Record<string, Operation>> = {
  DescribeStacks: (stack) => ({ Stacks: [described(stack)] }),
  ListStacks: (stack, form) => {
    const wanted = [...form].filter(([name]) => name.startsWith('StackStatusFilter.member.'));
    const isWanted = wanted.length === 0 || wanted.some(([, status]) => status === statusOf(stack));
    return { StackSummaries: isWanted ? [summary(stack)] : [] };
  },
  ListStackResources: (stack) => ({
    StackResourceSummaries: stack.resources.map((resource) => ({
      ...resourceFields(stack, resource),
      LastUpdatedTimestamp: timestamp(stack),
    })),
  }),
  DescribeStackResources: (stack, form) => {
    const wanted = form.get('LogicalResourceId');
    const found = stack.resources.filter(
      ({ logicalId }) => wanted === null || logicalId === wanted,
    );
    return { StackResources: found.map((resource) => resourceDetail(stack, resource)) };
  },
  DescribeStackResource: (stack, form) => {
    const wanted = form.get('LogicalResourceId') ?? '';
    const found = stack.resources.find(({ logicalId }) => logicalId === wanted);
    if (found === undefined) return `Resource ${wanted} does not exist for stack ${stack.name}`;
    const { Timestamp, ...rest } = resourceDetail(stack, found);
    return { StackResourceDetail: { ...rest, LastUpdatedTimestamp: Timestamp } };
  },
};

const offer: Offer = { operations: Object.keys(operations), instead: fromTemplate };
/** These are about a stack that has to be named. */
const named = new Set(['ListStackResources', 'DescribeStackResources', 'DescribeStackResource']);
const namespace = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';

export function cloudformationService(roles: RoleBook, stack: Stack): GatewayService {
  return {
    ...offer,
    targets: [],
    handle: (request, res) => {
      const form = new URLSearchParams(request.body.toString());
      const name = form.get('Action') ?? '';
      const operation = operationOf(operations, name);
      if (operation === undefined) return refuseOperation(request, res, offer, name);
      const action = `cloudformation:${name}`;
      const access = { action, resource: name === 'ListStacks' ? '*' : stack.id };
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) return sendQueryError(res, 403, 'AccessDenied', sentence);
      answer(res, { name, operation, stack, form });
    },
  };
}

type Call = { name: string; operation: Operation; stack: Stack; form: URLSearchParams };

function answer(res: ServerResponse, call: Call): void {
  const result = problemOf(call) ?? call.operation(call.stack, call.form);
  if (typeof result === 'string') sendQueryError(res, 400, 'ValidationError', result);
  else sendQueryAnswer(res, namespace, call.name, result);
}

function problemOf({ name, stack, form }: Call): string | undefined {
  const asked = form.get('StackName');
  if (asked === null && named.has(name)) {
    return (
      "1 validation error detected: Value null at 'stackName' failed to satisfy constraint: " +
      'Member must not be null'
    );
  }
  const isOther = asked !== null && asked !== stack.name && asked !== stack.id;
  return isOther ? `Stack with id ${asked} does not exist` : undefined;
}

const statusOf = ({ updatedAtMs }: Stack): string =>
  updatedAtMs === undefined ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE';

const iso = (ms: number): string => new Date(ms).toISOString();
const timestamp = (stack: Stack): string => iso(stack.updatedAtMs ?? stack.createdAtMs);

function summary(stack: Stack): Result {
  return {
    StackId: stack.id,
    StackName: stack.name,
    TemplateDescription: stack.description,
    CreationTime: iso(stack.createdAtMs),
    LastUpdatedTime: stack.updatedAtMs === undefined ? undefined : iso(stack.updatedAtMs),
    StackStatus: statusOf(stack),
    DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
  };
}

function described(stack: Stack): Result {
  const { TemplateDescription, ...fields } = summary(stack);
  return {
    ...fields,
    Description: TemplateDescription,
    DisableRollback: false,
    EnableTerminationProtection: false,
    NotificationARNs: [],
    Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
    Parameters: stack.parameters.map(({ name, value }) => ({
      ParameterKey: name,
      ParameterValue: value,
    })),
    Outputs: stack.outputs.map(({ name, value, description }) => ({
      OutputKey: name,
      OutputValue: value,
      Description: description,
    })),
    Tags: [],
  };
}

type Resource = Stack['resources'][number];

function resourceFields(stack: Stack, { logicalId, physicalId, type }: Resource): Result {
  return {
    LogicalResourceId: logicalId,
    PhysicalResourceId: physicalId,
    ResourceType: type,
    ResourceStatus: statusOf(stack),
    DriftInformation: { StackResourceDriftStatus: 'NOT_CHECKED' },
  };
}

function resourceDetail(stack: Stack, resource: Resource): Result {
  return {
    StackName: stack.name,
    StackId: stack.id,
    ...resourceFields(stack, resource),
    Timestamp: timestamp(stack),
  };
}
