/**
 * Every resource type that the local cloud runs, and those that it reads over with the reason. A
 * type in neither table stops the start.
 */
import type { ResourceType } from '../world.ts';
import { apigatewayv2Api } from './apigatewayv2-api.ts';
import { apigatewayv2Authorizer } from './apigatewayv2-authorizer.ts';
import { apigatewayv2Integration } from './apigatewayv2-integration.ts';
import { apigatewayv2Route } from './apigatewayv2-route.ts';
import { apigatewayv2Stage } from './apigatewayv2-stage.ts';
import { cloudfrontDistribution } from './cloudfront-distribution.ts';
import { cloudfrontFunction } from './cloudfront-function.ts';
import { cloudfrontOriginAccessControl } from './cloudfront-origin-access-control.ts';
import { cloudfrontResponseHeadersPolicy } from './cloudfront-response-headers-policy.ts';
import { cloudwatchAlarm } from './cloudwatch-alarm.ts';
import { dynamodbGlobalTable } from './dynamodb-global-table.ts';
import { iamManagedPolicy } from './iam-managed-policy.ts';
import { iamPolicy } from './iam-policy.ts';
import { iamRole } from './iam-role.ts';
import { iotPolicy } from './iot-policy.ts';
import { iotTopicRule } from './iot-topic-rule.ts';
import { lambdaEventSourceMapping } from './lambda-event-source-mapping.ts';
import { lambdaFunction } from './lambda-function.ts';
import { lambdaPermission } from './lambda-permission.ts';
import { logsLogGroup } from './logs-log-group.ts';
import { s3Bucket } from './s3-bucket.ts';
import { s3BucketPolicy } from './s3-bucket-policy.ts';
import { schedulerSchedule } from './scheduler-schedule.ts';
import { secretsmanagerSecret } from './secretsmanager-secret.ts';
import { snsSubscription } from './sns-subscription.ts';
import { snsTopic } from './sns-topic.ts';
import { snsTopicPolicy } from './sns-topic-policy.ts';
import { sqsQueue } from './sqs-queue.ts';
import { sqsQueuePolicy } from './sqs-queue-policy.ts';

export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGatewayV2::Api': apigatewayv2Api,
  'AWS::ApiGatewayV2::Authorizer': apigatewayv2Authorizer,
  'AWS::ApiGatewayV2::Integration': apigatewayv2Integration,
  'AWS::ApiGatewayV2::Route': apigatewayv2Route,
  'AWS::ApiGatewayV2::Stage': apigatewayv2Stage,
  'AWS::CloudFront::Distribution': cloudfrontDistribution,
  'AWS::CloudFront::Function': cloudfrontFunction,
  'AWS::CloudFront::OriginAccessControl': cloudfrontOriginAccessControl,
  'AWS::CloudFront::ResponseHeadersPolicy': cloudfrontResponseHeadersPolicy,
  'AWS::CloudWatch::Alarm': cloudwatchAlarm,
  'AWS::DynamoDB::GlobalTable': dynamodbGlobalTable,
  'AWS::IAM::ManagedPolicy': iamManagedPolicy,
  'AWS::IAM::Policy': iamPolicy,
  'AWS::IAM::Role': iamRole,
  'AWS::IoT::Policy': iotPolicy,
  'AWS::IoT::TopicRule': iotTopicRule,
  'AWS::Lambda::EventSourceMapping': lambdaEventSourceMapping,
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::Permission': lambdaPermission,
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
