/** Shows a result as a chart with selectable axes, and as a table of the same numbers. */
import 'uplot/dist/uPlot.min.css';
import { Checkbox, NativeSelect } from '@mantine/core';
import { useEffect, useId, useMemo, useRef } from 'react';
import type uPlot from 'uplot';
import { Legend, useHiddenLines } from '../../components/plot/legend.tsx';
import plotClasses from '../../components/plot/plot.module.css';
import { showLines } from '../../components/plot/style.ts';
import type { RunColumn } from './api.ts';
import {
  type ChartChoice,
  type ChartData,
  chartData,
  chartKinds,
  numberColumns,
  type Rows,
} from './chart-data.ts';
import { createPlot, lineAt, plotData, sizeIn } from './chart-plot.ts';
import classes from './chart-view.module.css';
import { t } from './text.ts';

/** The maximum number of rows in the table of numbers. The table view shows all rows. */
const maxTwinRows = 500;

export default function ChartView({
  columns,
  rows,
  choice,
  label,
  onChange,
}: {
  columns: readonly RunColumn[];
  rows: Rows;
  choice: ChartChoice;
  label: string;
  onChange: (choice: ChartChoice) => void;
}) {
  const data = useMemo(() => chartData(choice, columns, rows), [choice, columns, rows]);
  const seriesLabel = useId();
  const names = [...new Set(columns.map(({ name }) => name))];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.view} aria-label={label} tabIndex={0}>
      <div className={classes.controls}>
        <NativeSelect
          size="xs"
          label={t('chart.kind')}
          value={choice.kind}
          data={chartKinds.map((kind) => ({ value: kind, label: t(`chart.kind-${kind}`) }))}
          onChange={(event) =>
            onChange({
              ...choice,
              kind: chartKinds.find((kind) => kind === event.currentTarget.value) ?? choice.kind,
            })
          }
        />
        <NativeSelect
          size="xs"
          label={t('chart.x')}
          value={choice.x}
          data={names}
          onChange={(event) => onChange({ ...choice, x: event.currentTarget.value })}
        />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out with flex in every browser */}
        <div role="group" aria-labelledby={seriesLabel} className={classes.series}>
          <span id={seriesLabel} className={classes.legend}>
            {t('chart.y')}
          </span>
          {numberColumns(columns).map((name) => (
            <Checkbox
              key={name}
              size="xs"
              label={name}
              checked={choice.y.includes(name)}
              onChange={(event) =>
                onChange({
                  ...choice,
                  y: event.currentTarget.checked
                    ? numberColumns(columns).filter((each) => each === name || choice.y.includes(each))
                    : choice.y.filter((each) => each !== name),
                })
              }
            />
          ))}
        </div>
      </div>
      {choice.y.length === 0 || data.x.length === 0 ? (
        <p className={classes.none}>{t('chart.none')}</p>
      ) : (
        <>
          <Plot data={data} kind={choice.kind} label={label} />
          <details className={classes.twin}>
            <summary>{t('chart.table')}</summary>
            <Twin data={data} x={choice.x} label={label} />
          </details>
        </>
      )}
    </section>
  );
}

function Plot({ data, kind, label }: { data: ChartData; kind: ChartChoice['kind']; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const { hidden, toggle } = useHiddenLines();
  const latest = useRef({ data, hidden });
  latest.current = { data, hidden };
  // The plot contains the category labels, so a new plot is created when the labels change.
  const labels = data.scale === 'category' ? data.labels : [];
  const shape = [kind, data.scale, ...data.series.map(({ name }) => name), ...labels].join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot is created again only if its kind or its series change
  useEffect(() => {
    const element = box.current;
    const view = element?.parentElement ?? null;
    if (element === null || view === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = createPlot(element, sizeIn(element, view), kind, latest.current);
    };
    draw();
    const resize = new ResizeObserver(() => plot.current?.setSize(sizeIn(element, view)));
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
  }, [shape]);
  useEffect(() => plot.current?.setData(plotData(data)), [data]);
  useEffect(() => showLines(plot.current, hidden), [hidden]);
  return (
    <>
      <div
        ref={box}
        className={`${classes.plot} ${plotClasses.plot}`}
        role="img"
        aria-label={t('chart.picture', { label })}
      />
      <Legend
        entries={data.series.map(({ name }, index) => ({ label: name, ...lineAt(index) }))}
        hidden={hidden}
        onToggle={toggle}
      />
    </>
  );
}

function Twin({ data: { labels, series }, x, label }: { data: ChartData; x: string; label: string }) {
  return (
    <table className={classes.table}>
      <caption className="visually-hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">{x}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.slice(0, maxTwinRows).map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its position
          <tr key={index}>
            <th scope="row">{text}</th>
            {series.map(({ name, values }) => (
              <td key={name} data-number>
                {values[index] ?? '—'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
