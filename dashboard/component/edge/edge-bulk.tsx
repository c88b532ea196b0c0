import type { Edge } from '../../../core/contract/resources.ts';
import { type BulkAction, BulkBar } from '../bulk/bulk-bar.tsx';
import type { Picking } from '../bulk/use-picking.tsx';
import { ReasonField, reasonOf } from './reason-field.tsx';

/** Takes many edges out of service at once, and back into it. */
const pathOf = ({ name }: Edge): string => `/v1/edges/${encodeURIComponent(name)}`;
const isOut = ({ cordoned, draining }: Edge): boolean => cordoned || draining;

const actions: readonly BulkAction<Edge>[] = [
  {
    name: 'Take back',
    question: (words) => `Take ${words} back?`,
    explanation: <p>They receive work again at once.</p>,
    appliesTo: isOut,
    send: (client, edge) => client.send('PATCH', pathOf(edge), { cordoned: false }),
  },
  {
    name: 'Cordon',
    question: (words) => `Cordon ${words}?`,
    explanation: (
      <>
        <p>They get no new work. What they hold they may finish.</p>
        <ReasonField />
      </>
    ),
    appliesTo: (edge) => !isOut(edge),
    send: (client, edge, fields) =>
      client.send('PATCH', pathOf(edge), { cordoned: true, reason: reasonOf(fields) }),
  },
];

type EdgeBulkProps = { readonly picking: Picking<Edge>; readonly onDone: () => void };

export function EdgeBulk({ picking, onDone }: EdgeBulkProps) {
  return <BulkBar {...{ picking, actions, onDone }} nameOf={({ name }) => name} noun="edge" />;
}
