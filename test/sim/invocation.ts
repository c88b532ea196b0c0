import type { Faults } from './faults.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Timeline } from './timeline.ts';

/**
 * One run of a function: every call that it makes to the world takes time, and may be throttled,
 * lose its answer, or be the last thing that the function ever did.
 */
export type Invocation = {
  /** Carries out one call to the world. */
  call<T>(name: string, effect: () => T | Promise<T>): Promise<T>;
};

/** Trouble that the simulation made; any other error in a function is a defect. */
export class InjectedFault extends Error {}

export type Ending = 'done' | 'failed' | 'killed';

export function invoke(
  world: { timeline: Timeline; random: SeededRandom; faults: () => Faults },
  run: (invocation: Invocation) => Promise<void>,
): Promise<Ending> {
  const { timeline, random } = world;
  return new Promise((end) => {
    const call: Invocation['call'] = async (name, effect) => {
      const faults = world.faults();
      await timeline.pause(random.between(1, Math.max(1, faults.callMsMax)), name);
      if (random.chance(faults.killFunction)) {
        end('killed');
        return new Promise(() => {});
      }
      if (random.chance(faults.throttleCall)) throw new InjectedFault(`${name}: throttled`);
      const result = await effect();
      if (random.chance(faults.loseAnswer)) throw new InjectedFault(`${name}: the answer was lost`);
      if (random.chance(faults.killFunction)) {
        end('killed');
        return new Promise(() => {});
      }
      return result;
    };
    run({ call }).then(
      () => end('done'),
      () => end('failed'),
    );
  });
}
