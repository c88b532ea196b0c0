import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { drawnRows } from '../model/drawn-rows.ts';

/**
 * A long list of equal rows that draws only those on the screen, and a few around them so that the
 * keyboard can walk on. The page scrolls, not the list; what is not drawn is padding. Rows tell
 * assistive technology their true number.
 */
export type WindowListProps<T> = {
  readonly items: readonly T[];
  readonly label: string;
  readonly columns: readonly string[];
  readonly className: string;
  readonly keyOf: (item: T) => string;
  readonly cells: (item: T) => ComponentChildren;
  /** Where the heads order the list: by which column it is, and what a press on one does. */
  readonly sort?: {
    readonly at: number;
    readonly direction: 'ascending' | 'descending';
    readonly onPress: (column: number) => void;
  };
  /** How high a row is where the window is narrow and its cells stand below each other. */
  readonly narrowPx?: number;
};

const aroundRows = 10;
const rowPx = 46;
const narrowRowPx = 84;

export function WindowList<T>(props: WindowListProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [view, setView] = useState({ from: 0, to: 40, rowPx });
  const total = props.items.length;

  useLayoutEffect(() => {
    const narrow = matchMedia('(max-width: 700px)');
    const measure = () => {
      const height = narrow.matches ? (props.narrowPx ?? narrowRowPx) : rowPx;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / height) - aroundRows);
      const to = Math.ceil((innerHeight - top) / height) + aroundRows;
      setView((old) =>
        old.from === from && old.to === to && old.rowPx === height
          ? old
          : { from, to, rowPx: height },
      );
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [total, props.narrowPx]);

  const { from, to } = drawnRows(view, total, aroundRows);
  const padding = {
    paddingTop: `${from * view.rowPx}px`,
    paddingBottom: `${Math.max(0, total - to) * view.rowPx}px`,
  };
  return (
    <table class={`window-list ${props.className}`} aria-rowcount={total + 1}>
      <caption class="hidden">{props.label}</caption>
      <thead>
        <tr class="row" aria-rowindex={1}>
          {props.columns.map((column, at) => (
            <Head key={column} column={column} at={at} sort={props.sort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body} style={padding}>
        {props.items.slice(from, to).map((item, offset) => (
          <tr
            key={props.keyOf(item)}
            class="row"
            aria-rowindex={from + offset + 2}
            style={{ height: `${view.rowPx}px` }}
          >
            {props.cells(item)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type HeadProps = {
  readonly sort: WindowListProps<never>['sort'] | undefined;
  readonly column: string;
  readonly at: number;
};

function Head({ column, at, sort }: HeadProps) {
  if (sort === undefined) return <th scope="col">{column}</th>;
  const isSorted = sort.at === at;
  const mark = sort.direction === 'ascending' ? ' ▴' : ' ▾';
  return (
    <th scope="col" aria-sort={isSorted ? sort.direction : 'none'}>
      <button type="button" class="sort" onClick={() => sort.onPress(at)}>
        {column}
        <span aria-hidden="true">{isSorted && mark}</span>
      </button>
    </th>
  );
}
