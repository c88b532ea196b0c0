import { axisTop } from '../model/plot-axis.ts';
import { numberWords } from '../model/words.ts';

/** Sixty minutes of chunks done, one bar a minute. */
const width = 360;
const height = 96;

export function ThroughputPlot({ values }: { values: readonly number[] }) {
  const top = axisTop(values);
  const step = width / values.length;
  const total = values.reduce((sum, value) => sum + value, 0);
  const busiest = Math.max(0, ...values);
  const sum = `${numberWords(Math.round(total))} chunks`;
  const words = `${sum} in the last hour, at most ${numberWords(Math.round(busiest))} in a minute`;
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={words}>
        {[0, 0.5, 1].map((part) => (
          <line key={part} class="grid" x1="0" x2={width} y1={y(part)} y2={y(part)} />
        ))}
        {values.map((value, minute) => (
          <rect
            key={minute}
            class={minute === values.length - 1 ? 'bar now' : 'bar'}
            x={minute * step + 0.75}
            width={step - 1.5}
            y={y(value / top)}
            height={Math.max(0, height - 2 - y(value / top))}
            rx="1"
          />
        ))}
      </svg>
      <span class="plot-top">{numberWords(top)} / min</span>
      <figcaption>
        <span>60 min ago</span>
        <span>{sum}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

function y(part: number): number {
  return height - 2 - part * (height - 6);
}
