/**
 * Every resource type that the local cloud runs, and those that it reads over with the reason. A
 * type in neither table stops the start.
 */

import { apigatewayv2Api } from '../services/apigateway/api-resource.ts';
import { apigatewayv2Authorizer } from '../services/apigateway/authorizer-resource.ts';
import { apigatewayv2Integration } from '../services/apigateway/integration-resource.ts';
import { apigatewayv2Route } from '../services/apigateway/route-resource.ts';
import { apigatewayv2Stage } from '../services/apigateway/stage-resource.ts';
import { cloudfrontDistribution } from '../services/cloudfront/distribution-resource.ts';
import { cloudfrontFunction } from '../services/cloudfront/function-resource.ts';
import { originAccessControl } from '../services/cloudfront/origin-access-control-resource.ts';
import { responseHeadersPolicy } from '../services/cloudfront/response-headers-policy-resource.ts';
import { cloudwatchAlarm } from '../services/cloudwatch/alarm-resource.ts';
import { logsLogGroup } from '../services/cloudwatch/log-group-resource.ts';
import { dynamodbGlobalTable } from '../services/dynamodb/global-table-resource.ts';
import { eventsEventBus } from '../services/events/bus-resource.ts';
import { eventsRule } from '../services/events/rule-resource.ts';
import { iamManagedPolicy } from '../services/iam/managed-policy-resource.ts';
import { iamPolicy } from '../services/iam/policy-resource.ts';
import { iamRole } from '../services/iam/role-resource.ts';
import { iotPolicy } from '../services/iot/policy/policy-resource.ts';
import { iotTopicRule } from '../services/iot/rules/topic-rule-resource.ts';
import { lambdaEventSourceMapping } from '../services/lambda/event-sources/mapping-resource.ts';
import { lambdaFunction } from '../services/lambda/function-resource.ts';
import { lambdaUrl } from '../services/lambda/function-url/url-resource.ts';
import { lambdaPermission } from '../services/lambda/permission-resource.ts';
import { s3BucketPolicy } from '../services/s3/bucket-policy-resource.ts';
import { s3Bucket } from '../services/s3/bucket-resource.ts';
import { schedulerSchedule } from '../services/scheduler/schedule-resource.ts';
import { secretsmanagerSecret } from '../services/secrets/secret-resource.ts';
import { snsSubscription } from '../services/sns/subscription-resource.ts';
import { snsTopicPolicy } from '../services/sns/topic-policy-resource.ts';
import { snsTopic } from '../services/sns/topic-resource.ts';
import { sqsQueuePolicy } from '../services/sqs/queue-policy-resource.ts';
import { sqsQueue } from '../services/sqs/queue-resource.ts';
import type { ResourceType } from '../world.ts';

export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGatewayV2::Api': apigatewayv2Api,
  'AWS::ApiGatewayV2::Authorizer': apigatewayv2Authorizer,
  'AWS::ApiGatewayV2::Integration': apigatewayv2Integration,
  'AWS::ApiGatewayV2::Route': apigatewayv2Route,
  'AWS::ApiGatewayV2::Stage': apigatewayv2Stage,
  'AWS::CloudFront::Distribution': cloudfrontDistribution,
  'AWS::CloudFront::Function': cloudfrontFunction,
  'AWS::CloudFront::OriginAccessControl': originAccessControl,
  'AWS::CloudFront::ResponseHeadersPolicy': responseHeadersPolicy,
  'AWS::CloudWatch::Alarm': cloudwatchAlarm,
  'AWS::DynamoDB::GlobalTable': dynamodbGlobalTable,
  'AWS::Events::EventBus': eventsEventBus,
  'AWS::Events::Rule': eventsRule,
  'AWS::IAM::ManagedPolicy': iamManagedPolicy,
  'AWS::IAM::Policy': iamPolicy,
  'AWS::IAM::Role': iamRole,
  'AWS::IoT::Policy': iotPolicy,
  'AWS::IoT::TopicRule': iotTopicRule,
  'AWS::Lambda::EventSourceMapping': lambdaEventSourceMapping,
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::Permission': lambdaPermission,
  'AWS::Lambda::Url': lambdaUrl,
  'AWS::Logs::LogGroup': logsLogGroup,
  'AWS::S3::Bucket': s3Bucket,
  'AWS::S3::BucketPolicy': s3BucketPolicy,
  'AWS::SNS::Subscription': snsSubscription,
  'AWS::SNS::Topic': snsTopic,
  'AWS::SNS::TopicPolicy': snsTopicPolicy,
  'AWS::SQS::Queue': sqsQueue,
  'AWS::SQS::QueuePolicy': sqsQueuePolicy,
  'AWS::Scheduler::Schedule': schedulerSchedule,
  'AWS::SecretsManager::Secret': secretsmanagerSecret,
};

export const ignoredTypes: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'a note of the CDK about itself',
  'AWS::CloudWatch::Dashboard': 'a page of the AWS console',
  'AWS::Logs::MetricFilter': 'log files are not searched',
};
