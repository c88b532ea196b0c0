// The calls of the table in docs/local-cloud.md with the AWS SDK for Go.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/apigatewayv2"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iot"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

var ctx = context.Background()

func env(name string) *string { return aws.String(os.Getenv(name)) }

func config(key, secret, token string) aws.Config {
	return aws.Config{
		Region:           os.Getenv("AWS_REGION"),
		BaseEndpoint:     env("AWS_ENDPOINT_URL"),
		Credentials:      credentials.NewStaticCredentialsProvider(key, secret, token),
		RetryMaxAttempts: 1,
	}
}

// must says what was wrong with an answer that came without an error.
func must(err error, holds func() bool) error {
	if err != nil {
		return err
	}
	if !holds() {
		return errors.New("another answer than expected")
	}
	return nil
}

// refused is nil when the error has this in its sentence.
func refused(err error, words string) error {
	if err == nil {
		return errors.New("not refused")
	}
	if !strings.Contains(err.Error(), words) {
		return fmt.Errorf("refused without %q: %w", words, err)
	}
	return nil
}

func main() {
	own := config(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), "")
	results := map[string]string{}
	for name, call := range calls(own) {
		results[name] = "works"
		if err := call(); err != nil {
			results[name] = err.Error()
		}
	}
	text, _ := json.Marshal(results)
	fmt.Println(string(text))
}

func calls(own aws.Config) map[string]func() error {
	all := map[string]func() error{}
	for _, some := range []map[string]func() error{stackCalls(own), deviceCalls(own), storeCalls(own), refusals(own)} {
		for name, call := range some {
			all[name] = call
		}
	}
	return all
}

func stackCalls(own aws.Config) map[string]func() error {
	stacks, functions := cloudformation.NewFromConfig(own), lambda.NewFromConfig(own)
	logs, apis := cloudwatchlogs.NewFromConfig(own), apigatewayv2.NewFromConfig(own)
	return map[string]func() error{
		"CloudFormation DescribeStacks": func() error {
			out, err := stacks.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: env("STACK")})
			return must(err, func() bool {
				for _, output := range out.Stacks[0].Outputs {
					if *output.OutputKey == "TableName" {
						return *output.OutputValue == os.Getenv("TABLE") && !out.Stacks[0].CreationTime.IsZero()
					}
				}
				return false
			})
		},
		"CloudFormation ListStackResources": func() error {
			out, err := stacks.ListStackResources(ctx, &cloudformation.ListStackResourcesInput{StackName: env("STACK")})
			return must(err, func() bool {
				for _, resource := range out.StackResourceSummaries {
					if *resource.LogicalResourceId == "Table" {
						return *resource.PhysicalResourceId == os.Getenv("TABLE")
					}
				}
				return false
			})
		},
		"Lambda ListFunctions": func() error {
			out, err := functions.ListFunctions(ctx, &lambda.ListFunctionsInput{})
			return must(err, func() bool {
				for _, function := range out.Functions {
					if *function.FunctionName == os.Getenv("FUNCTION") {
						return true
					}
				}
				return false
			})
		},
		"Lambda GetFunction": func() error {
			out, err := functions.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: env("FUNCTION")})
			return must(err, func() bool {
				return *out.Configuration.FunctionName == os.Getenv("FUNCTION") && *out.Configuration.Timeout > 0
			})
		},
		"Lambda ListEventSourceMappings": func() error {
			out, err := functions.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{EventSourceArn: env("STREAM")})
			return must(err, func() bool {
				return len(out.EventSourceMappings) == 1 && *out.EventSourceMappings[0].State == "Enabled" &&
					!out.EventSourceMappings[0].LastModified.IsZero()
			})
		},
		"CloudWatch Logs FilterLogEvents": func() error {
			out, err := logs.FilterLogEvents(ctx, &cloudwatchlogs.FilterLogEventsInput{LogGroupName: env("LOG_GROUP"), FilterPattern: aws.String(`"START RequestId"`)})
			return must(err, func() bool {
				return len(out.Events) > 0 && strings.HasPrefix(*out.Events[0].Message, "START RequestId") && *out.Events[0].Timestamp > 0
			})
		},
		"API Gateway v2 GetApis": func() error {
			out, err := apis.GetApis(ctx, &apigatewayv2.GetApisInput{})
			return must(err, func() bool { return len(out.Items) == 1 && out.Items[0].ProtocolType == "HTTP" })
		},
	}
}

func deviceCalls(own aws.Config) map[string]func() error {
	things, tokens := iot.NewFromConfig(own), sts.NewFromConfig(own)
	return map[string]func() error{
		"IoT ListTopicRules": func() error {
			out, err := things.ListTopicRules(ctx, &iot.ListTopicRulesInput{})
			return must(err, func() bool { return len(out.Rules) == 1 && *out.Rules[0].RuleName == os.Getenv("RULE") })
		},
		"IoT CreatePolicy": func() error {
			document := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"iot:Connect","Resource":"*"}]}`
			out, err := things.CreatePolicy(ctx, &iot.CreatePolicyInput{PolicyName: env("CLIENT"), PolicyDocument: &document})
			return must(err, func() bool { return strings.HasSuffix(*out.PolicyArn, "policy/"+os.Getenv("CLIENT")) })
		},
		"IoT CreateKeysAndCertificate": func() error {
			out, err := things.CreateKeysAndCertificate(ctx, &iot.CreateKeysAndCertificateInput{SetAsActive: true})
			return must(err, func() bool {
				return strings.HasPrefix(*out.CertificatePem, "-----BEGIN CERTIFICATE") &&
					strings.HasPrefix(*out.KeyPair.PrivateKey, "-----BEGIN RSA PRIVATE KEY")
			})
		},
		"STS GetCallerIdentity": func() error {
			out, err := tokens.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
			return must(err, func() bool { return strings.HasSuffix(*out.Arn, ":root") })
		},
		"STS AssumeRole": func() error {
			out, err := tokens.AssumeRole(ctx, &sts.AssumeRoleInput{RoleArn: env("ROLE"), RoleSessionName: env("CLIENT")})
			if err != nil {
				return err
			}
			as := config(*out.Credentials.AccessKeyId, *out.Credentials.SecretAccessKey, *out.Credentials.SessionToken)
			who, err := sts.NewFromConfig(as).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
			return must(err, func() bool { return strings.HasSuffix(*who.Arn, "/"+os.Getenv("CLIENT")) })
		},
	}
}

func storeCalls(own aws.Config) map[string]func() error {
	tables := dynamodb.NewFromConfig(own)
	buckets := s3.NewFromConfig(own, func(options *s3.Options) { options.UsePathStyle = true })
	return map[string]func() error{
		"DynamoDB DescribeTable": func() error {
			out, err := tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: env("TABLE")})
			return must(err, func() bool { return *out.Table.DeletionProtectionEnabled })
		},
		"S3 GetBucketLifecycleConfiguration": func() error {
			out, err := buckets.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: env("BUCKET")})
			return must(err, func() bool { return len(out.Rules) == 1 && *out.Rules[0].Expiration.Days == 30 })
		},
		"S3 PutObject If-None-Match": func() error {
			put := func() error {
				_, err := buckets.PutObject(ctx, &s3.PutObjectInput{
					Bucket: env("BUCKET"), Key: env("CLIENT"), Body: bytes.NewReader([]byte("text")), IfNoneMatch: aws.String("*"),
				})
				return err
			}
			if err := put(); err != nil {
				return err
			}
			return refused(put(), "PreconditionFailed")
		},
	}
}

func refusals(own aws.Config) map[string]func() error {
	buckets := s3.NewFromConfig(own, func(options *s3.Options) { options.UsePathStyle = true })
	return map[string]func() error{
		"an operation that is not there": func() error {
			const words = "The local cloud runs the service"
			_, layers := lambda.NewFromConfig(own).ListLayers(ctx, &lambda.ListLayersInput{})
			_, exports := cloudformation.NewFromConfig(own).ListExports(ctx, &cloudformation.ListExportsInput{})
			_, filters := cloudwatchlogs.NewFromConfig(own).DescribeMetricFilters(ctx, &cloudwatchlogs.DescribeMetricFiltersInput{})
			_, backups := dynamodb.NewFromConfig(own).ListBackups(ctx, &dynamodb.ListBackupsInput{})
			_, tags := buckets.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: env("BUCKET")})
			for _, err := range []error{layers, exports, filters, backups, tags} {
				if wrong := refused(err, words); wrong != nil {
					return wrong
				}
			}
			return nil
		},
		"a service that is not there": func() error {
			_, err := cloudwatch.NewFromConfig(own).ListMetrics(ctx, &cloudwatch.ListMetricsInput{})
			return refused(err, "The local cloud does not run the service monitoring")
		},
	}
}
