"""The calls of the table in docs/local-cloud.md: `calls.py boto3`, or `calls.py awscli`."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ENV = os.environ
POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "iot:Connect", "Resource": "*"}],
    }
)
NOT_HERE = "The local cloud runs the service"
NO_SERVICE = "The local cloud does not run the service monitoring"


class Refused(Exception):
    pass


def boto3_call():
    import boto3
    from botocore.config import Config
    from botocore.exceptions import ClientError

    config = Config(retries={"total_max_attempts": 1})

    def call(service, operation, keys=None, **params):
        client = boto3.client(service, config=config, **(keys or {}))
        name = "".join("_" + c.lower() if c.isupper() else c for c in operation)[1:]
        try:
            return getattr(client, name)(**params)
        except ClientError as error:
            raise Refused(str(error)) from None

    return call


def awscli_call():
    aws = os.path.join(os.path.dirname(sys.executable), "aws")

    def word(value):
        if isinstance(value, bool):
            return []
        return [value if isinstance(value, str) else json.dumps(value)]

    def flags(params):
        for name, value in params.items():
            kebab = "".join("-" + c.lower() if c.isupper() else c for c in name).lstrip("-")
            yield "--" + kebab
            yield from word(value)

    def call(service, operation, keys=None, **params):
        command = "".join("-" + c.lower() if c.isupper() else c for c in operation)[1:]
        if service == "s3":
            service = "s3api"
        env = dict(ENV)
        if keys:
            env["AWS_ACCESS_KEY_ID"] = keys["aws_access_key_id"]
            env["AWS_SECRET_ACCESS_KEY"] = keys["aws_secret_access_key"]
            env["AWS_SESSION_TOKEN"] = keys["aws_session_token"]
        with tempfile.NamedTemporaryFile() as body:
            if "Body" in params:
                body.write(params["Body"])
                body.flush()
                params = {**params, "Body": body.name}
            words = [aws, service, command, "--output", "json", *flags(params)]
            run = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
        if run.returncode != 0:
            raise Refused(run.stderr.strip())
        return json.loads(run.stdout or "{}")

    return call


def refused(action, words):
    try:
        action()
    except Refused as error:
        if words in str(error):
            return True
        raise
    return False


def calls(call, client):
    def stack_outputs():
        [stack] = call("cloudformation", "DescribeStacks", StackName=ENV["STACK"])["Stacks"]
        outputs = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
        return outputs["TableName"] == ENV["TABLE"] and stack["CreationTime"]

    def stack_resources():
        answer = call("cloudformation", "ListStackResources", StackName=ENV["STACK"])
        found = {r["LogicalResourceId"]: r for r in answer["StackResourceSummaries"]}
        return found["Table"]["PhysicalResourceId"] == ENV["TABLE"]

    def functions():
        found = call("lambda", "ListFunctions")["Functions"]
        return ENV["FUNCTION"] in [function["FunctionName"] for function in found]

    def function():
        found = call("lambda", "GetFunction", FunctionName=ENV["FUNCTION"])["Configuration"]
        return found["FunctionName"] == ENV["FUNCTION"] and found["Timeout"] > 0

    def mappings():
        answer = call("lambda", "ListEventSourceMappings", EventSourceArn=ENV["STREAM"])
        [mapping] = answer["EventSourceMappings"]
        return mapping["State"] == "Enabled" and mapping["LastModified"]

    def rules():
        [rule] = call("iot", "ListTopicRules")["rules"]
        return rule["ruleName"] == ENV["RULE"]

    def policy():
        made = call("iot", "CreatePolicy", policyName=client, policyDocument=POLICY)
        return made["policyArn"].endswith("policy/" + client)

    def keys():
        made = call("iot", "CreateKeysAndCertificate", setAsActive=True)
        return made["keyPair"]["PrivateKey"].startswith("-----BEGIN RSA PRIVATE KEY")

    def events():
        answer = call(
            "logs",
            "FilterLogEvents",
            logGroupName=ENV["LOG_GROUP"],
            filterPattern='"START RequestId"',
        )
        event = answer["events"][0]
        return event["message"].startswith("START RequestId") and event["timestamp"] > 0

    def apis():
        [api] = call("apigatewayv2", "GetApis")["Items"]
        return api["ProtocolType"] == "HTTP"

    def identity():
        return call("sts", "GetCallerIdentity")["Arn"].endswith(":root")

    def role():
        given = call("sts", "AssumeRole", RoleArn=ENV["ROLE"], RoleSessionName=client)
        given = given["Credentials"]
        session = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
        who = call("sts", "GetCallerIdentity", keys=session)
        return who["Arn"].endswith("/" + client)

    def table():
        return call("dynamodb", "DescribeTable", TableName=ENV["TABLE"])["Table"][
            "DeletionProtectionEnabled"
        ]

    def lifecycle():
        answer = call("s3", "GetBucketLifecycleConfiguration", Bucket=ENV["BUCKET"])
        return [rule["Expiration"]["Days"] for rule in answer["Rules"]] == [30]

    def conditional_put():
        def put():
            call(
                "s3", "PutObject", Bucket=ENV["BUCKET"], Key=client, Body=b"text", IfNoneMatch="*"
            )

        put()
        return refused(put, "PreconditionFailed")

    def no_operation():
        return all(
            [
                refused(lambda: call("lambda", "ListLayers"), NOT_HERE),
                refused(lambda: call("cloudformation", "ListExports"), NOT_HERE),
                refused(lambda: call("logs", "DescribeMetricFilters"), NOT_HERE),
                refused(lambda: call("dynamodb", "ListBackups"), NOT_HERE),
                refused(lambda: call("s3", "GetBucketTagging", Bucket=ENV["BUCKET"]), NOT_HERE),
            ]
        )

    return {
        "CloudFormation DescribeStacks": stack_outputs,
        "CloudFormation ListStackResources": stack_resources,
        "Lambda ListFunctions": functions,
        "Lambda GetFunction": function,
        "Lambda ListEventSourceMappings": mappings,
        "CloudWatch Logs FilterLogEvents": events,
        "API Gateway v2 GetApis": apis,
        "IoT ListTopicRules": rules,
        "IoT CreatePolicy": policy,
        "IoT CreateKeysAndCertificate": keys,
        "STS GetCallerIdentity": identity,
        "STS AssumeRole": role,
        "DynamoDB DescribeTable": table,
        "S3 GetBucketLifecycleConfiguration": lifecycle,
        "S3 PutObject If-None-Match": conditional_put,
        "an operation that is not there": no_operation,
        "a service that is not there": lambda: refused(
            lambda: call("cloudwatch", "ListMetrics"), NO_SERVICE
        ),
    }


def outcome(action):
    try:
        return "works" if action() else "another answer than expected"
    except Exception as error:  # Whatever it was is the cell of the table.
        return f"{type(error).__name__}: {error}"


def main():
    client = sys.argv[1]
    call = boto3_call() if client == "boto3" else awscli_call()
    actions = calls(call, client)
    # The command line takes a second of its own for each call.
    with ThreadPoolExecutor(max_workers=4) as pool:
        results = dict(zip(actions, pool.map(outcome, actions.values())))
    print(json.dumps(results))


main()
