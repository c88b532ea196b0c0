import {
  CloudFormationClient,
  DeleteStackCommand,
  paginateListStackResources,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { parseStageName, type StageName, stageNameRule } from '../../lib/frame/stage-name.ts';
import { endWith, messageOf, Stop } from '../repository.mjs';
import { readFlags } from '../setup/flags.mjs';
import { openAccount, outputsOf, readStack } from './account.ts';
import { deleteBucket, emptyBucket } from './buckets.ts';
import { confirm } from './question.ts';
import { removeIdentities } from './stage-identities.ts';
import { requirePlace } from './stage-places.ts';

/**
 * `npm run destroy -- --stage NAME`: ends a stage. Of one that is thrown away nothing is left; of
 * one that is kept its data is, and it goes only for whoever says the name of its stack. What a run
 * did that was broken off is not done again.
 */
const usage = `Usage: npm run destroy -- --stage NAME [flags]
  --stage NAME            which deployment
  --in ACCOUNT[/REGION]   where it is: credentials of anywhere else are refused
  --yes                   without asking; enough for trial and trial-…
  --confirm STACK         without asking, for a stage that is kept: the name of its stack`;

const options = {
  stage: { type: 'string' },
  in: { type: 'string' },
  yes: { type: 'boolean' },
  confirm: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const deletionSecondsMax = 3_600;

async function main(): Promise<void> {
  const values = readFlags(options, usage);
  if (values.help) return console.log(usage);
  const stage = parseStageName(values.stage);
  if (stage === null) throw new Stop(`--stage: ${stageNameRule}.\n${usage}`);
  const account = await openAccount();
  requirePlace(stage, account, values.in);
  const { id, region } = account;
  const { stackName, isKept } = stage;
  const place = `${stackName} in ${id}/${region}`;
  const stack = await readStack(stackName);
  if (stack === null) return console.log(`There is no ${place}.`);
  if (isKept && values.confirm !== stackName) {
    console.log(`${place} is kept: its data stays, everything that works on it goes.`);
    await confirm(`Type ${stackName} to go on:`, stackName, `--confirm ${stackName}`);
  }
  if (!isKept && !values.yes) await confirm(`Delete ${place}? (y/N)`, 'y', '--yes');
  const dashboard = outputsOf(stack).get('DashboardBucket');
  await destroy(stage, dashboard);
  console.log(isKept ? `${place} is gone. What is left:` : `${place} is gone, with all it had.`);
  if (!isKept) return;
  console.log(`  the table ${outputsOf(stack).get('TableName')}, protected from deletion`);
  console.log('  the buckets of outputs and of the dashboard, the admin token, the logs');
}

async function destroy(stage: StageName, dashboard: string | undefined): Promise<void> {
  const client = new CloudFormationClient({});
  const parts = await physicalIds(client, stage.stackName);
  const policy = parts.get('AWS::IoT::Policy');
  if (policy !== undefined) {
    const removed = await removeIdentities(policy, stage.thingPrefix);
    if (removed > 0)
      console.log(
        `${removed} ${removed === 1 ? 'edge has' : 'edges have'} no certificate any more.`,
      );
  }
  const outputs = parts.get('Outputs');
  if (!stage.isKept && outputs !== undefined) await emptyBucket(outputs);
  console.log(`Deleting ${stage.stackName} …`);
  await client.send(new DeleteStackCommand({ StackName: stage.stackName }));
  try {
    await waitUntilStackDeleteComplete(
      { client, maxWaitTime: deletionSecondsMax },
      { StackName: stage.stackName },
    );
  } catch (error) {
    throw new Stop(`${stage.stackName} cannot be deleted: ${messageOf(error)}`);
  } finally {
    client.destroy();
  }
  if (!stage.isKept && dashboard !== undefined) await deleteBucket(dashboard);
}

/** What parts of a stack are really called, by their logical ids and by their types. */
async function physicalIds(client: CloudFormationClient, StackName: string) {
  const found = new Map<string, string>();
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const part of page.StackResourceSummaries ?? []) {
      if (part.PhysicalResourceId === undefined) continue;
      found.set(part.LogicalResourceId ?? '', part.PhysicalResourceId);
      found.set(part.ResourceType ?? '', part.PhysicalResourceId);
    }
  }
  return found;
}

await main().catch(endWith);
