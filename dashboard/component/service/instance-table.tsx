import type { Chunk, Job } from '../../../core/contract/resources.ts';
import { instancesShownMax } from '../../limits.ts';
import type { Collection } from '../../live/collection.ts';
import type { Watched } from '../../live/use-live.ts';
import { exitWords, hrefOfPort } from '../../model/service-instances.ts';
import { Link } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { StateBadge } from '../marks.tsx';
import { FeedNotice } from '../notice.tsx';
import { WindowList } from '../window-list.tsx';

/** Every instance: where it is, whether it is ready, where it is reached, how it ended last. */
type InstanceTableProps = {
  readonly chunks: Watched<Collection<Chunk>>;
  readonly service: Job;
};

const columns = ['No', 'State', 'Edge', 'Gen.', 'Ports', 'Restarts', 'Last exit', 'Ended'];

export function InstanceTable({ chunks, service }: InstanceTableProps) {
  const instances = chunks.value?.items ?? [];
  return (
    <section class="panel" aria-labelledby="instances-title">
      <h2 id="instances-title">
        Instances <span class="soft">{instances.length}</span>
      </h2>
      <FeedNotice live={chunks} what="instances" />
      {chunks.value !== null && instances.length === 0 && (
        <p class="soft">
          {service.status.state === 'stopped' ? 'None is wanted.' : 'No edge matches it yet.'}
        </p>
      )}
      {instances.length > 0 && (
        <WindowList
          items={instances}
          label="Instances of the service"
          columns={columns}
          className="instance-table"
          keyOf={({ chunk }) => String(chunk)}
          cells={instanceCells}
        />
      )}
      {chunks.value?.more && <p class="soft">The first {instancesShownMax}.</p>}
    </section>
  );
}

function instanceCells(instance: Chunk) {
  const { chunk, state, ready, edge, generation, ports = [], restarts = 0, lastExit } = instance;
  return (
    <>
      <td class="figures">{chunk}</td>
      <td>
        <StateBadge state={ready === true ? 'ready' : state} />
      </td>
      <td class="main-cell">
        {edge === null ? (
          <span class="soft">none</span>
        ) : (
          <Link to={{ page: 'edge', name: edge }}>{edge}</Link>
        )}
      </td>
      <td class="figures">{generation}</td>
      <td>
        {ports.length === 0 && <span class="soft">none</span>}
        {ports.map((port) => (
          <Port key={port.name} port={port} />
        ))}
      </td>
      <td class="figures">{restarts}</td>
      <td class={lastExit == null ? 'soft' : ''} title={exitWords(lastExit)}>
        {exitWords(lastExit)}
      </td>
      <td class="soft">{lastExit != null && <Ago at={lastExit.at} />}</td>
    </>
  );
}

function Port({ port }: { port: NonNullable<Chunk['ports']>[number] }) {
  const href = hrefOfPort(port);
  const words = `${port.name} ${port.host ?? ''}:${port.port}`;
  if (href === null) return <span class="port">{words}</span>;
  return (
    <a class="port" href={href} target="_blank" rel="noreferrer" title={words}>
      {port.name} {port.port}
    </a>
  );
}
