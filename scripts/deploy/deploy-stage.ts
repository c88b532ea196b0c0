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

/**
 * `npm run deploy -- --stage NAME`: everything of a stage on AWS with one command, the first time
 * and every time after. Each step leaves what is right as it is, so a run that was broken off is
 * repeated.
 */
const usage = `Usage: npm run deploy -- [flags]
  --stage NAME             which deployment (production)
  --yes                    deploy the changes without asking
  --bootstrap              prepare the account for the CDK when it is not
  --parameter NAME=VALUE   of the stack; may be repeated; the others stay as they are
  --alarm-topic ARN        an SNS topic that alarms tell
  --no-agents              do not build the agents`;

const options = {
  stage: { type: 'string' },
  yes: { type: 'boolean' },
  bootstrap: { type: 'boolean' },
  parameter: { type: 'string', multiple: true },
  'alarm-topic': { type: 'string' },
  'no-agents': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Flags = {
  readonly stage: StageName;
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
  const before = await readStack(stage.stackName);
  refuseStuck(stage, before?.StackStatus);
  await ensureBootstrapped(account, flags);
  const dashboard = await ensureDashboard();
  if (flags.buildsAgents) buildAgents();
  const app = join(root, 'dist', `cdk.deploy-${stage.name}`);
  await runCdk(['synth', '-q', '-o', app, ...contextOf(flags)]);
  await runCdk(['diff', '--app', app]);
  if (!flags.isSure) await confirm(`Deploy this to ${place}? (y/N)`, 'y', '--yes');
  const parameters = flags.parameters.flatMap((one) => ['--parameters', one]);
  await runCdk(['deploy', '--app', app, '--require-approval', 'never', ...parameters]);
  const outputs = outputsOf(await readStack(stage.stackName));
  const published = await publishDashboard(dashboard, outputs.get('DashboardBucket') ?? '');
  console.log(`The dashboard is published (${published} new files).`);
  greet(stage, account, outputs, flags.buildsAgents);
}

/** A stack in these states takes no update until somebody has decided. */
function refuseStuck({ stackName }: StageName, status: string | undefined): void {
  if (status === undefined || !/_IN_PROGRESS$|ROLLBACK_FAILED$|^DELETE_FAILED$/.test(status))
    return;
  // A change set that was never carried out.
  if (status === 'REVIEW_IN_PROGRESS') return;
  throw new Stop(`${stackName} is ${status}; see docs/operations.md, "When a deployment fails".`);
}

async function ensureBootstrapped(account: Account, flags: Flags): Promise<void> {
  if ((await readStack('CDKToolkit')) !== null) return;
  const place = `${account.id}/${account.region}`;
  console.log(`${place} is not prepared for the CDK yet: it needs a bucket and a few roles.`);
  if (!flags.mayBootstrap) await confirm(`Prepare ${place}? (y/N)`, 'y', '--bootstrap');
  await runCdk(['bootstrap', `aws://${place}`, '-o', join(root, 'dist', 'cdk.bootstrap')]);
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
