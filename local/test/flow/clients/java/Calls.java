import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.apigatewayv2.ApiGatewayV2Client;
import software.amazon.awssdk.services.cloudformation.CloudFormationClient;
import software.amazon.awssdk.services.cloudwatch.CloudWatchClient;
import software.amazon.awssdk.services.cloudwatchlogs.CloudWatchLogsClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.iot.IotClient;
import software.amazon.awssdk.services.lambda.LambdaClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sts.StsClient;

/** The calls of the table in docs/local-cloud.md with the AWS SDK for Java. */
class Calls {
  static final String NOT_HERE = "The local cloud runs the service";

  static String env(String name) {
    return System.getenv(name);
  }

  static <B extends AwsClientBuilder<B, C>, C> C with(B builder, AwsCredentials credentials) {
    return builder
        .endpointOverride(URI.create(env("AWS_ENDPOINT_URL")))
        .region(Region.of(env("AWS_REGION")))
        .credentialsProvider(StaticCredentialsProvider.create(credentials))
        .overrideConfiguration(config -> config.retryStrategy(retries -> retries.maxAttempts(1)))
        .build();
  }

  static final AwsCredentials OWN =
      AwsBasicCredentials.create(env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"));

  /** True when the call fails with this in its sentence. */
  static boolean refused(Callable<?> call, String words) throws Exception {
    try {
      call.call();
      return false;
    } catch (Exception refusal) {
      if (String.valueOf(refusal.getMessage()).contains(words)) return true;
      throw refusal;
    }
  }

  static final Map<String, Callable<Boolean>> CALLS = new LinkedHashMap<>();

  static void stack() {
    var stacks = with(CloudFormationClient.builder(), OWN);
    var functions = with(LambdaClient.builder(), OWN);
    var logs = with(CloudWatchLogsClient.builder(), OWN);
    var apis = with(ApiGatewayV2Client.builder(), OWN);
    CALLS.put("CloudFormation DescribeStacks", () -> {
      var stack = stacks.describeStacks(r -> r.stackName(env("STACK"))).stacks().get(0);
      return stack.creationTime() != null && stack.outputs().stream().anyMatch(output ->
          output.outputKey().equals("TableName") && output.outputValue().equals(env("TABLE")));
    });
    CALLS.put("CloudFormation ListStackResources", () ->
        stacks.listStackResources(r -> r.stackName(env("STACK"))).stackResourceSummaries().stream()
            .anyMatch(resource -> resource.logicalResourceId().equals("Table")
                && resource.physicalResourceId().equals(env("TABLE"))));
    CALLS.put("Lambda ListFunctions", () -> functions.listFunctions().functions().stream()
        .anyMatch(function -> function.functionName().equals(env("FUNCTION"))));
    CALLS.put("Lambda GetFunction", () -> {
      var found = functions.getFunction(r -> r.functionName(env("FUNCTION"))).configuration();
      return found.functionName().equals(env("FUNCTION")) && found.timeout() > 0;
    });
    CALLS.put("Lambda ListEventSourceMappings", () -> {
      var found = functions.listEventSourceMappings(r -> r.eventSourceArn(env("STREAM")))
          .eventSourceMappings();
      return found.size() == 1 && found.get(0).state().equals("Enabled")
          && found.get(0).lastModified() != null;
    });
    CALLS.put("CloudWatch Logs FilterLogEvents", () -> {
      var events = logs.filterLogEvents(r -> r.logGroupName(env("LOG_GROUP")).filterPattern("\"START RequestId\""))
          .events();
      return events.get(0).message().startsWith("START RequestId") && events.get(0).timestamp() > 0;
    });
    CALLS.put("API Gateway v2 GetApis", () -> {
      var items = apis.getApis().items();
      return items.size() == 1 && items.get(0).protocolTypeAsString().equals("HTTP");
    });
    CALLS.put("an operation that is not there", () ->
        refused(() -> functions.listLayers(), NOT_HERE)
            && refused(() -> stacks.listExports(), NOT_HERE)
            && refused(() -> logs.describeMetricFilters(), NOT_HERE)
            && refused(() -> with(DynamoDbClient.builder(), OWN).listBackups(), NOT_HERE)
            && refused(() -> with(S3Client.builder().forcePathStyle(true), OWN)
                .getBucketTagging(r -> r.bucket(env("BUCKET"))), NOT_HERE));
    CALLS.put("a service that is not there", () ->
        refused(() -> with(CloudWatchClient.builder(), OWN).listMetrics(),
            "The local cloud does not run the service monitoring"));
  }

  static void devices() {
    var things = with(IotClient.builder(), OWN);
    var tokens = with(StsClient.builder(), OWN);
    CALLS.put("IoT ListTopicRules", () -> {
      var rules = things.listTopicRules(r -> r.maxResults(10)).rules();
      return rules.size() == 1 && rules.get(0).ruleName().equals(env("RULE"));
    });
    CALLS.put("IoT CreatePolicy", () -> {
      var document = "{\"Version\":\"2012-10-17\",\"Statement\":"
          + "[{\"Effect\":\"Allow\",\"Action\":\"iot:Connect\",\"Resource\":\"*\"}]}";
      return things.createPolicy(r -> r.policyName(env("CLIENT")).policyDocument(document))
          .policyArn().endsWith("policy/" + env("CLIENT"));
    });
    CALLS.put("IoT CreateKeysAndCertificate", () -> {
      var made = things.createKeysAndCertificate(r -> r.setAsActive(true));
      return made.certificatePem().startsWith("-----BEGIN CERTIFICATE")
          && made.keyPair().privateKey().startsWith("-----BEGIN RSA PRIVATE KEY");
    });
    CALLS.put("STS GetCallerIdentity", () -> tokens.getCallerIdentity().arn().endsWith(":root"));
    CALLS.put("STS AssumeRole", () -> {
      var given = tokens.assumeRole(r -> r.roleArn(env("ROLE")).roleSessionName(env("CLIENT")))
          .credentials();
      var session = AwsSessionCredentials.create(
          given.accessKeyId(), given.secretAccessKey(), given.sessionToken());
      return with(StsClient.builder(), session).getCallerIdentity().arn()
          .endsWith("/" + env("CLIENT"));
    });
  }

  static void stores() {
    var tables = with(DynamoDbClient.builder(), OWN);
    var buckets = with(S3Client.builder().forcePathStyle(true), OWN);
    CALLS.put("DynamoDB DescribeTable", () -> tables
        .describeTable(r -> r.tableName(env("TABLE"))).table().deletionProtectionEnabled());
    CALLS.put("S3 GetBucketLifecycleConfiguration", () -> {
      var rules = buckets.getBucketLifecycleConfiguration(r -> r.bucket(env("BUCKET"))).rules();
      return rules.size() == 1 && rules.get(0).expiration().days() == 30;
    });
    CALLS.put("S3 PutObject If-None-Match", () -> {
      Callable<Object> put = () -> buckets.putObject(
          r -> r.bucket(env("BUCKET")).key(env("CLIENT")).ifNoneMatch("*"),
          RequestBody.fromString("text"));
      put.call();
      return refused(put, "pre-conditions");
    });
  }

  public static void main(String[] words) {
    stack();
    devices();
    stores();
    var lines = new StringBuilder();
    CALLS.forEach((name, call) -> {
      String result;
      try {
        result = call.call() ? "works" : "another answer than expected";
      } catch (Exception failure) {
        result = failure.toString().replaceAll("[^ -~]|[\"\\\\]", " ");
      }
      lines.append(lines.isEmpty() ? "{" : ",").append("\"").append(name).append("\":\"")
          .append(result).append("\"");
    });
    System.out.println(lines.append("}"));
  }
}
