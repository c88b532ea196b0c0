/** The one stack that runs here, as CloudFormation describes it. */
import { type Account, arnOf, stableUuid } from '../../account.ts';
import type { Json, Template } from '../../assembly/assembly.ts';
import type { Deployed, DeployedResource } from '../../assembly/deployment.ts';
import { localAddress } from '../../assembly/outputs.ts';
import type { StateStore } from '../../engine/state-store.ts';
import type { World } from '../../world.ts';

export type Stack = {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly createdAtMs: number;
  /** The last start; undefined for the first one. */
  readonly updatedAtMs: number | undefined;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly outputs: readonly StackOutput[];
  readonly resources: readonly DeployedResource[];
};

export type StackOutput = {
  readonly name: string;
  readonly value: string;
  readonly description: string | undefined;
};

/**
 * Addresses in outputs are those of this machine, as in `endpoints.json`; a secret stays its ARN,
 * as on AWS.
 */
export function stackOf(
  template: Template,
  deployed: Deployed,
  world: World,
  store: StateStore,
  nowMs: number,
): Stack {
  const { account } = world;
  const known = store.get('stack', account.stack);
  if (known === undefined) store.put('stack', account.stack, String(nowMs));
  return {
    id: stackArn(account),
    name: account.stack,
    description: template.description,
    createdAtMs: Number(known ?? nowMs),
    updatedAtMs: known === undefined ? undefined : nowMs,
    parameters: Object.entries(deployed.parameters).map(([name, value]) => ({
      name,
      value: String(template.parameters[name]?.NoEcho) === 'true' ? '****' : String(value),
    })),
    outputs: Object.entries(deployed.outputs).map(([name, value]) => ({
      name,
      value: outputText(value, world),
      description: template.outputs[name]?.Description,
    })),
    resources: deployed.resources,
  };
}

export function stackArn(account: Account): string {
  const { stack, region } = account;
  return arnOf(account, 'cloudformation', `stack/${stack}/${stableUuid(`${region}/${stack}`)}`);
}

const outputText = (value: Json, world: World): string =>
  typeof value === 'string' ? localAddress(value, world) : JSON.stringify(value);
