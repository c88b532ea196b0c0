import type { Edge } from '../../../core/contract/resources.ts';
import { edgePower } from '../../model/edge-power.ts';
import { pure } from '../../model/pure.ts';
import type { Selection } from '../../model/selection.ts';
import { powerWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { PickBox } from '../bulk/use-picking.tsx';
import { StatusWord } from '../marks.tsx';
import { Meter } from '../meter.tsx';
import { WindowList } from '../window-list.tsx';

/** The edges as rows: for reading rather than for seeing. */
const columns = ['Edge', 'Status', 'Last seen', 'Power', 'Leases', 'Pool'];

type EdgeTableProps = {
  readonly edges: readonly Edge[];
  /** `null` while nobody chooses. */
  readonly selection: Selection | null;
  readonly toggle: (edge: Edge) => void;
};

export const EdgeTable = pure(({ edges, selection, toggle }: EdgeTableProps) => {
  return (
    <WindowList
      items={edges}
      label="Edges"
      columns={columns}
      className="edge-table"
      keyOf={(edge) => edge.name}
      cells={(edge) => edgeCells(edge, selection, toggle)}
    />
  );
});

function edgeCells(edge: Edge, selection: Selection | null, toggle: EdgeTableProps['toggle']) {
  const { used, total } = edgePower(edge);
  return (
    <>
      <td class="main-cell">
        {selection !== null && (
          <PickBox
            label={`Select ${edge.name}`}
            isChosen={selection.has(edge.name)}
            onToggle={() => toggle(edge)}
          />
        )}
        <Link to={{ page: 'edge', name: edge.name }}>{edge.name}</Link>
      </td>
      <td>
        <StatusWord edge={edge} />
      </td>
      <td class="soft">
        <Ago at={edge.lastSeenAt} />
      </td>
      <td class="with-meter">
        <Meter value={used} of={total} label={`Power used on ${edge.name}`} />
        <span>
          {powerWords(used)} of {powerWords(total)}
        </span>
      </td>
      <td>{edge.leases.length}</td>
      <td class="soft">{edge.pool}</td>
    </>
  );
}
