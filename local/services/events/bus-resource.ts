/** AWS::Events::EventBus: a bus of its own beside the one that every account has. */
import { arnOf } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const eventsEventBus: ResourceType = {
  used: ['Name'],
  ignored: { Description: 'a text for people', Tags: 'tags do nothing' },
  create: ({ path, properties, world }) => {
    const name = readerOf(properties, path).text('Name');
    const arn = arnOf(world.account, 'events', `event-bus/${name}`);
    world.eventBuses.set(name, arn);
    return { ref: name, attributes: { Name: name, Arn: arn } };
  },
};
