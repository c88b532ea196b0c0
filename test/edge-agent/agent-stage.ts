import type { AgentOptions } from '../../edge-agent/program/agent-options.ts';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';

/** A control plane, a directory, and the agents that were started on it: of one test alone. */
export class AgentStage {
  readonly controlPlane: ControlPlaneDouble;
  readonly #directory: { readonly path: string; readonly remove: () => void };
  readonly #agents: RunningAgent[] = [];

  private constructor(controlPlane: ControlPlaneDouble) {
    this.controlPlane = controlPlane;
    this.#directory = makeDirectory();
  }

  static async open(): Promise<AgentStage> {
    return new AgentStage(await startControlPlane());
  }

  get path(): string {
    return this.#directory.path;
  }

  start(more: Partial<AgentOptions> = {}): RunningAgent {
    return this.add(startAgent(this.options(more)));
  }

  options(more: Partial<AgentOptions> = {}): AgentOptions {
    return agentOptions(this.controlPlane, this.path, more);
  }

  /** One that was started otherwise, to be stopped with the others. */
  add<A extends RunningAgent>(agent: A): A {
    this.#agents.push(agent);
    return agent;
  }

  async stopAgents(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop()));
  }

  async close(): Promise<void> {
    await this.stopAgents();
    await this.controlPlane.stop();
    this.#directory.remove();
  }
}
