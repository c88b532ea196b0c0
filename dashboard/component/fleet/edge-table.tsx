import type { Edge } from '../../api/resources.ts';
import { edgePower } from '../../model/edge-power.ts';
import { pure } from '../../model/pure.ts';
import { powerWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { ShortLamp } from '../marks.tsx';
import { Meter } from '../meter.tsx';
import { WindowList } from '../window-list.tsx';

/** The edges as rows: for reading rather than for seeing. */
const columns = ['Edge', 'Lamp', 'Last seen', 'Power', 'Leases', 'Pool'];

export const EdgeTable = pure(({ edges }: { readonly edges: readonly Edge[] }) => {
  return (
    <WindowList
      items={edges}
      label="Edges"
      columns={columns}
      className="edge-table"
      keyOf={(edge) => edge.name}
      cells={edgeCells}
    />
  );
});

function edgeCells(edge: Edge) {
  const { used, total } = edgePower(edge);
  return (
    <>
      <td class="main-cell">
        <Link to={{ page: 'edge', name: edge.name }}>{edge.name}</Link>
      </td>
      <td>
        <ShortLamp edge={edge} />
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
