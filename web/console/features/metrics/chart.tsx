/** A line chart, and a table of the same numbers. */
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import list from '../../components/list.module.css';
import { Legend, useHiddenLines } from '../../components/plot/legend.tsx';
import { marks } from '../../components/plot/marks.ts';
import plotClasses from '../../components/plot/plot.module.css';
import {
  axesIn,
  colorIn,
  cursor,
  faded,
  lineStyle,
  printTime,
  showLines,
  timeMarks,
} from '../../components/plot/style.ts';
import { tooltip } from '../../components/plot/tooltip.ts';
import { t } from '../logs/text.ts';
import classes from './page.module.css';
import type { Chart } from './series.ts';

const heightPx = 240;
const daySeconds = 86_400;
const fillPercent = 7;

export default function LineChart({
  chart,
  what,
  onRange,
}: {
  chart: Chart;
  what: string;
  /** Called with a time range that the operator selects by dragging, or in the table, in milliseconds since the epoch. */
  onRange?: (since: number, until: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const labels = chart.series.map(({ label }) => label).join();
  const plot = useRef<uPlot | undefined>(undefined);
  const { hidden, toggle } = useHiddenLines();
  const latest = useRef({ chart, hidden, onRange });
  latest.current = { chart, hidden, onRange };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot is created again only if its lines change, and new values update the existing plot
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      const { x, y } = axesIn(element);
      const { print, series } = latest.current.chart;
      plot.current = new uPlot(
        {
          width: element.clientWidth,
          height: heightPx,
          legend: { show: false },
          cursor:
            onRange === undefined ? cursor : { ...cursor, drag: { x: true, y: false, setScale: false } },
          hooks: { setSelect: [(own) => selected(own, latest.current.onRange)] },
          plugins: [
            tooltip({ x: printTime, y: print }),
            marks(
              () => latest.current.chart.marks ?? [],
              () => colorIn(element, '--plinth-dimmed'),
            ),
          ],
          axes: [
            { ...x, values: timeMarks },
            { ...y, size: 64, values: (_plot, splits) => splits.map(print) },
          ],
          scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
          series: [
            {},
            ...series.map(({ label, color }) => {
              const stroke = colorIn(element, color);
              const show = !latest.current.hidden.has(label);
              return { ...lineStyle, label, stroke, fill: faded(stroke, fillPercent), show };
            }),
          ],
        },
        dataOf(latest.current.chart),
        element,
      );
    };
    draw();
    const resize = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: heightPx }),
    );
    resize.observe(element);
    // The chart is drawn on a canvas, so it must be redrawn when the color scheme changes.
    const scheme = new MutationObserver(draw);
    scheme.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      resize.disconnect();
      scheme.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [labels]);
  useEffect(() => plot.current?.setData(dataOf(chart)), [chart]);
  useEffect(() => showLines(plot.current, hidden), [hidden]);
  return (
    <>
      <div
        ref={box}
        className={`${classes.chart} ${plotClasses.plot}`}
        role="img"
        aria-label={t('metrics.chart', { what })}
      />
      <Legend entries={chart.series} hidden={hidden} onToggle={toggle} />
      <details className={classes.twin}>
        <summary>{t('metrics.table')}</summary>
        <Marks marks={chart.marks ?? []} />
        <ChartTable chart={chart} what={what} onRange={onRange} />
      </details>
    </>
  );
}

const dataOf = ({ times, series }: Chart): uPlot.AlignedData => [
  [...times],
  ...series.map(({ values }) => [...values]),
];

/** The width of a selection, below which it's a click. */
const minSelectionPx = 4;

function selected(plot: uPlot, onRange: ((since: number, until: number) => void) | undefined): void {
  const { left, width } = plot.select;
  if (width < minSelectionPx) return;
  const timeAt = (px: number): number => Math.round(plot.posToVal(px, 'x') * 1000);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onRange?.(timeAt(left), timeAt(left + width));
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function Marks({ marks: all }: { marks: NonNullable<Chart['marks']> }) {
  if (all.length === 0) return null;
  return (
    <ul className={classes.marks} aria-label={t('metrics.marks')}>
      {all.map(({ time, label }) => (
        <li key={`${time} ${label}`}>
          {printTime(time)}: {label}
        </li>
      ))}
    </ul>
  );
}

function ChartTable({
  chart: { times, series },
  what,
  onRange,
}: {
  chart: Chart;
  what: string;
  onRange: ((since: number, until: number) => void) | undefined;
}) {
  const [first = 0, second = first + 1] = times;
  const isLong = (times.at(-1) ?? 0) - first > daySeconds;
  const timeOf = (time: number): string => (isLong ? printTime(time) : clock.format(new Date(time * 1000)));
  const shown = times
    .map((time, index) => ({ time, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.twinScroll} tabIndex={0} aria-label={what}>
      <table className={list.table}>
        <caption className="visually-hidden">{what}</caption>
        <thead>
          <tr>
            <th scope="col">{t('metrics.time')}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, values }) => (
            <tr key={time}>
              <td>
                {onRange === undefined ? (
                  timeOf(time)
                ) : (
                  <button
                    type="button"
                    className={classes.step}
                    onClick={() => onRange(time * 1000, (time + second - first) * 1000)}
                  >
                    {timeOf(time)}
                  </button>
                )}
              </td>
              {values.map((value, index) => (
                <td key={series[index]?.label}>{value ?? '—'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
