import { useState } from 'preact/hooks';
import type { Edge } from '../../../core/contract/resources.ts';
import { useResource } from '../../live/use-live.ts';
import { type GraphDocument, type TreeLine, treeLines } from '../../model/graph-tree.ts';
import { numberWords } from '../../model/words.ts';
import { FeedNotice } from '../notice.tsx';

/** What makes an edge a cluster: its graph as counts and as a tree, and what it says of itself. */
const graphEveryMs = 60_000;

export function ClusterPanel({ edge, path }: { edge: Edge; path: string }) {
  const [isOpen, setOpen] = useState(false);
  const { graph, clusterState } = edge;
  if (graph === null) return null;
  const said = Object.entries(clusterState);
  return (
    <section class="panel" aria-labelledby="cluster-title">
      <h2 id="cluster-title">Cluster</h2>
      <dl class="facts">
        {Object.entries(graph.counts).map(([type, count]) => (
          <div key={type}>
            <dt>{type}</dt>
            <dd>{numberWords(count)}</dd>
          </div>
        ))}
        <div>
          <dt>Subsystems</dt>
          <dd>{graph.subsystems.length === 0 ? 'none' : graph.subsystems.join(', ')}</dd>
        </div>
        {said.map(([key, value]) => (
          <div key={key}>
            <dt>
              says <code>{key}</code>
            </dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
      </dl>
      <details class="cluster-graph" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>As a tree</summary>
        {isOpen && <GraphTree path={`${path}/nodes`} />}
      </details>
    </section>
  );
}

/** The document may have megabytes: it is read when somebody looks. */
function GraphTree({ path }: { path: string }) {
  const document = useResource<GraphDocument>(path, graphEveryMs);
  if (document.value === null) return <FeedNotice live={document} what="the graph" />;
  const lines = treeLines(document.value);
  if (lines.length === 0) return <p class="soft">It says how far it may grow, and no nodes.</p>;
  return <Lines lines={lines} />;
}

function Lines({ lines }: { lines: readonly TreeLine[] }) {
  return (
    <ul class="graph-tree">
      {lines.map(({ type, count, children }) => (
        <li key={type}>
          {numberWords(count)} {type}
          {children.length > 0 && <Lines lines={children} />}
        </li>
      ))}
    </ul>
  );
}
