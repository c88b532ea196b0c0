import { useState } from 'preact/hooks';
import type { Edge } from '../../../core/contract/resources.ts';
import { type ShortStatus, shortStatusOf } from '../../../core/contract/short-status.ts';
import { edgePower, loadStep, percentUsed } from '../../model/edge-power.ts';
import { pure } from '../../model/pure.ts';
import { statusWords } from '../../model/status-words.ts';
import { powerWords } from '../../model/words.ts';
import { go } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { EdgeStatus } from '../marks.tsx';

/**
 * One cell per edge, coloured by load, shaped by status. One stop for the Tab key; arrows walk from
 * cell to cell, Enter opens. What the pointer or the keyboard is on is described below.
 */
type CellProps = {
  readonly name: string;
  readonly status: ShortStatus;
  readonly words: string;
  readonly step: number;
  readonly percent: number;
  readonly stop: boolean;
  readonly roomy: boolean;
};

const Cell = pure(({ name, status, words, step, percent, stop, roomy }: CellProps) => (
  <a
    class={`cell cell-${status} l${step}`}
    href={`/edges/${encodeURIComponent(name)}`}
    data-edge={name}
    tabIndex={stop ? 0 : -1}
    aria-label={`${name}, ${words}, ${percent} % of its power used`}
  >
    {roomy && <span class="cell-name">{name}</span>}
    {roomy && <span class="cell-load">{status === 'lost' ? 'lost' : `${percent} %`}</span>}
  </a>
));

export type FleetGridProps = {
  readonly groups: readonly { readonly pool: string; readonly edges: readonly Edge[] }[];
  readonly total: number;
};

export const FleetGrid = pure((props: FleetGridProps) => <PointedGrid {...props} />);

/**
 * What is pointed at is state of this component only: the cells are not drawn again when the
 * pointer moves.
 */
function PointedGrid({ groups, total }: FleetGridProps) {
  const [current, setCurrent] = useState<string | null>(null);
  const here = current === null ? undefined : edgeNamed(groups, current);
  const size = total <= 48 ? 'large' : total <= 300 ? 'medium' : 'small';

  const point = (event: Event) => {
    const name = cellOf(event.target)?.dataset.edge;
    if (name !== undefined && name !== current) setCurrent(name);
  };
  const focus = (event: FocusEvent) => {
    makeOnlyStop(event.currentTarget as HTMLElement, cellOf(event.target));
    point(event);
  };
  const open = (event: MouseEvent) => {
    const name = cellOf(event.target)?.dataset.edge;
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
    if (name === undefined || elsewhere) return;
    event.preventDefault();
    go({ page: 'edge', name });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: one listener for a thousand links inside
    // biome-ignore lint/a11y/useKeyWithMouseEvents: focusin bubbles, focus does not
    <div
      class={`grid-of-edges ${size}`}
      onMouseOver={point}
      onFocusIn={focus}
      onKeyDown={walk}
      onClick={open}
    >
      <Cells groups={groups} roomy={size === 'large'} />
      <Inspector edge={here} />
    </div>
  );
}

type CellsProps = Pick<FleetGridProps, 'groups'> & { readonly roomy: boolean };

const Cells = pure(({ groups, roomy }: CellsProps) =>
  groups.map((group, index) => (
    <section key={group.pool} aria-label={`Pool ${group.pool}`}>
      {groups.length > 1 && <h3 class="pool-name">{group.pool}</h3>}
      <ul class="cells">
        {group.edges.map((edge) => (
          <li key={edge.name}>
            <Cell
              name={edge.name}
              status={shortStatusOf(edge)}
              words={statusWords(edge)}
              step={loadStep(edge)}
              percent={roomy ? percentUsed(edge) : 10 * loadStep(edge)}
              stop={index === 0 && edge === group.edges[0]}
              roomy={roomy}
            />
          </li>
        ))}
      </ul>
    </section>
  )),
);

function edgeNamed(groups: FleetGridProps['groups'], name: string): Edge | undefined {
  for (const { edges } of groups) {
    const edge = edges.find((one) => one.name === name);
    if (edge !== undefined) return edge;
  }
  return undefined;
}

/** The Tab key comes back to the cell that it left. */
function makeOnlyStop(grid: HTMLElement, cell: HTMLElement | null): void {
  if (cell === null) return;
  for (const stop of grid.querySelectorAll<HTMLElement>('a.cell[tabindex="0"]')) stop.tabIndex = -1;
  cell.tabIndex = 0;
}

function Inspector({ edge }: { edge: Edge | undefined }) {
  if (edge === undefined) {
    return <p class="inspector soft">Point at a cell, or walk with the arrow keys.</p>;
  }
  const { used, total } = edgePower(edge);
  return (
    <p class="inspector">
      <b>{edge.name}</b>
      <EdgeStatus edge={edge} />
      <span>
        seen <Ago at={edge.lastSeenAt} />
      </span>
      <span>
        {powerWords(used)} of {powerWords(total)} used
      </span>
      {edge.reason && <span>“{edge.reason}”</span>}
    </p>
  );
}

function cellOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('a.cell') : null;
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: 0, End: 0 };

function walk(event: KeyboardEvent): void {
  const from = cellOf(event.target);
  if (from === null || !(event.key in steps || /^Arrow(Up|Down)$/.test(event.key))) return;
  event.preventDefault();
  const cells = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('a.cell')];
  cells[nextCell(cells, cells.indexOf(from), event.key)]?.focus();
}

function nextCell(cells: readonly HTMLElement[], at: number, key: string): number {
  if (key === 'Home') return 0;
  if (key === 'End') return cells.length - 1;
  const step = steps[key];
  if (step !== undefined) return at + step;
  const box = cells[at]!.getBoundingClientRect();
  const down = key === 'ArrowDown';
  for (let i = at; i >= 0 && i < cells.length; i += down ? 1 : -1) {
    const other = cells[i]!.getBoundingClientRect();
    const beyond = down ? other.top > box.top + 1 : other.top < box.top - 1;
    if (beyond && (down ? other.left >= box.left - 1 : other.left <= box.left + 1)) return i;
  }
  return at;
}
