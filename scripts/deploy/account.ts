import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { messageOf, Stop } from '../repository.mjs';

/** The account and region that the environment gives access to, and what stands there. */
export type Account = {
  readonly id: string;
  readonly region: string;
  /** Who asks: an ARN. */
  readonly caller: string;
};

const credentialsHint =
  'Sign in first: "aws sso login", "aws configure", or AWS_ACCESS_KEY_ID and its secret.';

export async function openAccount(): Promise<Account> {
  const sts = new STSClient({ maxAttempts: 2 });
  const region = await sts.config.region().catch(() => {
    throw new Stop('No region is chosen. Set AWS_REGION, or one for your profile.');
  });
  try {
    const { Account: id = '', Arn: caller = '' } = await sts.send(new GetCallerIdentityCommand({}));
    return { id, region, caller };
  } catch (error) {
    throw new Stop(`AWS does not say who you are: ${messageOf(error)}\n${credentialsHint}`);
  } finally {
    sts.destroy();
  }
}

/** `null` where there is no such stack. */
export async function readStack(name: string): Promise<Stack | null> {
  const client = new CloudFormationClient({});
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks[0] ?? null;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return null;
    throw new Stop(`The stack ${name} cannot be read: ${messageOf(error)}`);
  } finally {
    client.destroy();
  }
}

/** What a stack printed when it was deployed. */
export function outputsOf(stack: Stack | null): ReadonlyMap<string, string> {
  const outputs = stack?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

/** S3 by paths where the environment names an endpoint: `bucket.localhost` is no host. */
export function bucketAddressing(): { readonly forcePathStyle: boolean } {
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 } = process.env;
  return { forcePathStyle: (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined };
}
