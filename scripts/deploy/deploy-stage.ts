import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseStageName, type StageName, stageNameRule } from '../../lib/frame/stage-name.ts';
import { endWith, node, root, Stop } from '../repository.mjs';
import { readFlags } from '../setup/flags.mjs';
import { ensureDashboard } from '../setup/synthesis.mjs';
import { type Account, openAccount, outputsOf, readStack } from './account.ts';
import { runCdk } from './cdk.ts';
import { publishDashboard } from './dashboard-files.ts';
import { confirm } from './question.ts';
import { requirePlace } from './stage-places.ts';

/**
 * `npm run deploy -- --stage NAME`: everything of a stage on AWS with one command, the first time
 * and every time after. Each step leaves what is right as it is, so a run that was broken off is
 * repeated.
 */
const usage = `Usage: npm run deploy -- [flags]
  --stage NAME             which deployment (production)
  --in ACCOUNT[/REGION]    where it belongs: credentials of anywhere else are refused
  --yes                    deploy the changes without asking
  --bootstrap              prepare the account for the CDK when it is not
  --parameter NAME=VALUE   of the stack; may be repeated; the others stay as they are
  --alarm-topic ARN        an SNS topic that alarms tell
  --no-agents              do not build the agents`;

const options = {
  stage: { type: 'string' },
  in: { type: 'string' },
  yes: { type: 'boolean' },
  bootstrap: { type: 'boolean' },
  parameter: { type: 'string', multiple: true },
  'alarm-topic': { type: 'string' },
  'no-agents': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Flags = {
  readonly stage: StageName;
  readonly place: string | undefined;
  readonly isSure: boolean;
  readonly mayBootstrap: boolean;
  readonly parameters: readonly string[];
  readonly alarmTopic: string | undefined;
  readonly buildsAgents: boolean;
};

async function main(): Promise<void> {
  const values = readFlags(options, usage);
  if (values.help) return console.log(usage);
  const stage = parseStageName(values.stage ?? 'production');
  if (stage === null) throw new Stop(`--stage: ${stageNameRule}.`);
  const parameters = values.parameter ?? [];
  const strange = parameters.find((one) => !/^\w+=/.test(one));
  if (strange !== undefined) throw new Stop(`--parameter is NAME=VALUE, not "${strange}".`);
  await deploy({
    stage,
    place: values.in,
    isSure: values.yes ?? false,
    mayBootstrap: values.bootstrap ?? false,
    parameters,
    alarmTopic: values['alarm-topic'],
    buildsAgents: !values['no-agents'],
  });
}

async function deploy(flags: Flags): Promise<void> {
  const { stage } = flags;
  const account = await openAccount();
  const place = `${stage.stackName} in ${account.id}/${account.region}`;
  console.log(`${place}, as ${account.caller}`);
  const isSaid = requirePlace(stage, account, flags.place);
  const status = (await readStack(stage.stackName))?.StackStatus;
  refuseStuck(stage, status);
  // A change set that was never carried out is left of somebody who looked.
  const isNew = status === undefined || status === neverCarriedOut;
  if (isNew && stage.isKept && flags.isSure && !isSaid) refuseUnsaid(stage, account);
  await ensureBootstrapped(account, flags);
  const dashboard = await ensureDashboard();
  if (flags.buildsAgents) buildAgents();
  const app = join(root, 'dist', `cdk.deploy-${stage.name}`);
  await runCdk(['synth', '-q', '-o', app, ...contextOf(flags)]);
  await runCdk(['diff', '--app', app]);
  const where = isNew ? `${place}, where it is new` : place;
  if (!flags.isSure) await confirm(`Deploy this to ${where}? (y/N)`, 'y', '--yes');
  const parameters = flags.parameters.flatMap((one) => ['--parameters', one]);
  await runCdk(['deploy', '--app', app, '--require-approval', 'never', ...parameters]);
  const outputs = outputsOf(await readStack(stage.stackName));
  const published = await publishDashboard(dashboard, outputs.get('DashboardBucket') ?? '');
  console.log(`The dashboard is published (${published} new files).`);
  greet(stage, account, outputs, flags.buildsAgents);
}

const neverCarriedOut = 'REVIEW_IN_PROGRESS';

/**
 * With credentials of the wrong account a stage that stands elsewhere looks like one that was never
 * deployed: nobody is there to see that, and what is kept is not thrown away again.
 */
function refuseUnsaid({ stackName }: StageName, { id, region }: Account): never {
  const answer = `If it belongs there, --in ${id}/${region} is the answer.`;
  throw new Stop(`Nothing was changed: there is no ${stackName} in ${id}/${region} yet. ${answer}`);
}

/** A stack in these states takes no update until somebody has decided. */
function refuseStuck({ stackName }: StageName, status: string | undefined): void {
  if (status === undefined || !/_IN_PROGRESS$|ROLLBACK_FAILED$|^DELETE_FAILED$/.test(status))
    return;
  if (status === neverCarriedOut) return;
  throw new Stop(`${stackName} is ${status}; see docs/operations.md, "When a deployment fails".`);
}

async function ensureBootstrapped(account: Account, flags: Flags): Promise<void> {
  if ((await readStack('CDKToolkit')) !== null) return;
  const place = `${account.id}/${account.region}`;
  console.log(`${place} is not prepared for the CDK yet: it needs a bucket and a few roles.`);
  if (!flags.mayBootstrap) await confirm(`Prepare ${place}? (y/N)`, 'y', '--bootstrap');
  const app = join(root, 'dist', 'cdk.bootstrap');
  await runCdk(['bootstrap', `aws://${place}`, '-o', app, ...contextOf(flags)]);
}

function contextOf({ stage, alarmTopic }: Flags): string[] {
  const topic = alarmTopic === undefined ? [] : ['-c', `edgewise:alarmTopicArn=${alarmTopic}`];
  return ['-c', `edgewise:stage=${stage.name}`, ...topic];
}

function buildAgents(): void {
  console.error('Building the agents …');
  execFileSync(node, [join('scripts', 'build-agent.ts')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function greet(
  stage: StageName,
  { region }: Account,
  outputs: ReadonlyMap<string, string>,
  hasAgents: boolean,
): void {
  const api = outputs.get('ApiUrl');
  const secret = `aws secretsmanager get-secret-value --region ${region} --secret-id`;
  const token = `$(${secret} ${outputs.get('AdminToken')} --query SecretString --output text)`;
  const agent = hasAgents ? 'dist/edgewise-agent-linux-x64' : 'edgewise agent';
  const lines = [
    '',
    `  API         ${api}`,
    `  Dashboard   ${outputs.get('DashboardUrl')}`,
    '',
    'The first edge:',
    `  npx edgewise config set ${stage.name} --api ${api} --token "${token}"`,
    '  npx edgewise token create first-edge --scope edges:enrol --ttl 1h > enrol-token',
    `  ${agent} --name edge-1 --api ${api} --enrol-token-file enrol-token    # there`,
    '',
  ];
  console.log(lines.join('\n'));
}

await main().catch(endWith);
