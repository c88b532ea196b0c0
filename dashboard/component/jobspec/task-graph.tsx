import { taskNameShownMax } from '../../limits.ts';
import { layOut, type PlacedTask, type TaskGraph } from '../../model/task-graph.ts';
import { ScrollBox } from '../scroll-box.tsx';

/** Tasks and groups as boxes, each to the right of what it waits for; the table says the same. */
const box = { width: 168, height: 44, gapX: 56, gapY: 16 };

export function TaskGraphView({ graph }: { graph: TaskGraph }) {
  const { nodes, edges, columns, rows } = layOut(graph);
  const width = columns * (box.width + box.gapX) - box.gapX + 2;
  const height = rows * (box.height + box.gapY) - box.gapY + 2;
  return (
    <ScrollBox label="Drawing of who waits for whom">
      <svg class="task-graph" width={width} height={height} role="img" aria-label={wordsOf(nodes)}>
        {edges.map(({ from, to, inside }) => (
          <path
            key={`${from.name} ${to.name}`}
            class={inside ? 'task-edge task-inside' : 'task-edge'}
            d={curve(from, to)}
          />
        ))}
        {nodes.map((node) => (
          <g key={node.name} transform={`translate(${x(node)} ${y(node)})`}>
            <rect
              class={`task-box state-box-${node.state}`}
              width={box.width}
              height={box.height}
              rx={node.kind === 'group' ? 2 : 10}
            />
            <text x={12} y={18} class="task-name">
              {short(node.name)}
            </text>
            <text x={12} y={35} class="task-state">
              {node.kind === 'group' ? `group, ${node.state}` : node.state}
            </text>
          </g>
        ))}
      </svg>
    </ScrollBox>
  );
}

const x = ({ column }: PlacedTask): number => 1 + column * (box.width + box.gapX);
const y = ({ row }: PlacedTask): number => 1 + row * (box.height + box.gapY);

function curve(from: PlacedTask, to: PlacedTask): string {
  const [x1, y1] = [x(from) + box.width, y(from) + box.height / 2];
  const [x2, y2] = [x(to), y(to) + box.height / 2];
  const middle = (x1 + x2) / 2;
  return `M ${x1} ${y1} C ${middle} ${y1}, ${middle} ${y2}, ${x2} ${y2}`;
}

function short(name: string): string {
  return name.length <= taskNameShownMax ? name : `…${name.slice(1 - taskNameShownMax)}`;
}

function wordsOf(nodes: readonly PlacedTask[]): string {
  return `${nodes.length} tasks and groups, in the order of who waits for whom`;
}
