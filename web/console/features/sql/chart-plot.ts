/** Draws charts with uPlot. */
import uPlot from 'uplot';
import {
  axesIn,
  colorIn,
  cursor,
  faded,
  lineColors,
  lineStyle,
  printTime,
  timeMarks,
} from '../../components/plot/style.ts';
import { tooltip } from '../../components/plot/tooltip.ts';
import type { ChartData, ChartKind } from './chart-data.ts';

const areaPercent = 20;
/** The fraction of a category's width that its bars fill. */
const barShare = 0.8;
const maxBarWidthPx = 80;

const [minHeightPx, maxHeightPx] = [180, 320];
/** The total height of the controls and the legend. */
const besidePx = 130;

/** Returns the size of a plot. If the view is tall enough, the plot fits into the view without scrolling. */
export function sizeIn(element: HTMLElement, view: HTMLElement): { width: number; height: number } {
  const height = Math.max(minHeightPx, Math.min(maxHeightPx, view.clientHeight - besidePx));
  return { width: element.clientWidth, height };
}

export const plotData = ({ x, series }: ChartData): uPlot.AlignedData => [
  [...x],
  ...series.map(({ values }) => [...values]),
];

/**
 * Returns the style of a line. If there are more lines than colors, the additional lines reuse the colors and are
 * dashed.
 */
export const lineAt = (index: number): { color: string; isDashed: boolean } => ({
  color: lineColors[index % lineColors.length] ?? '--plinth-text',
  isDashed: index >= lineColors.length,
});

export function createPlot(
  element: HTMLElement,
  size: { width: number; height: number },
  kind: ChartKind,
  { data, hidden }: { readonly data: ChartData; readonly hidden: ReadonlySet<string> },
): uPlot {
  const { x, y } = axesIn(element);
  const fromZero = kind === 'bar' || kind === 'area';
  return new uPlot(
    {
      ...size,
      legend: { show: false },
      cursor,
      plugins: [tooltip({ x: (value, at) => printX(data, value, at), y: printNumber })],
      axes: [
        { ...x, ...xMarks(data) },
        { ...y, size: 64, values: (_plot, splits) => splits.map(printNumber) },
      ],
      scales: {
        x: { time: data.scale === 'time', range: xRange(kind, data) },
        y: { range: (_plot, min, max) => yRange(min, max, fromZero) },
      },
      series: [
        {},
        ...data.series.map(({ name }, index) => {
          const { color, isDashed } = lineAt(index);
          const stroke = colorIn(element, color);
          return {
            ...lineStyle,
            label: name,
            stroke,
            show: !hidden.has(name),
            dash: isDashed ? [6, 4] : [],
            ...(kind === 'bar' ? { points: { show: false } } : {}),
            ...(kind === 'scatter' ? { points: { show: true, size: 6 } } : {}),
            ...(kind === 'bar' ? { paths: bars(index, data.series.length), fill: stroke } : {}),
            ...(kind === 'area' ? { fill: faded(stroke, areaPercent) } : {}),
            ...(kind === 'scatter' ? { paths: () => null } : {}),
          };
        }),
      ],
    },
    plotData(data),
    element,
  );
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const printNumber = (value: number): string => number.format(value);

function printX({ scale, labels }: ChartData, value: number, at: number): string {
  if (scale === 'time') return printTime(value);
  return scale === 'category' ? (labels[at] ?? '') : printNumber(value);
}

function xMarks({ scale, labels }: ChartData): uPlot.Axis {
  if (scale === 'time') return { values: timeMarks };
  return scale === 'category' ? categoryAxis(labels) : {};
}

const categoryAxis = (labels: readonly string[]): uPlot.Axis => ({
  values: (_plot, splits) =>
    splits.map((split) => (Number.isInteger(split) ? (labels[split] ?? '').slice(0, 16) : '')),
});

function xRange(kind: ChartKind, { x }: ChartData): uPlot.Range.Function {
  return (_plot, min, max) => {
    const [low, high] = [min ?? 0, max ?? 1];
    const pad = kind === 'bar' ? gapOf(x) / 2 : low === high ? 1 : (high - low) * 0.02;
    return [low - pad, high + pad];
  };
}

function yRange(min: number | null, max: number | null, fromZero: boolean): [number, number] {
  let [low, high] = [min ?? 0, max ?? 1];
  if (fromZero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (low === high) return [low - 1, high + 1];
  const pad = (high - low) * 0.08;
  return [fromZero && low === 0 ? 0 : low - pad, fromZero && high === 0 ? 0 : high + pad];
}

/** Returns the smallest distance between two points on the x axis. */
function gapOf(x: ArrayLike<number>): number {
  let gap = Number.POSITIVE_INFINITY;
  for (let index = 1; index < x.length; index++) {
    const distance = (x[index] ?? 0) - (x[index - 1] ?? 0);
    if (distance > 0) gap = Math.min(gap, distance);
  }
  return Number.isFinite(gap) ? gap : 1;
}

/** Draws the bars of one series beside those of the other series. */
function bars(index: number, count: number): uPlot.Series.PathBuilder {
  return (plot, seriesIndex, from, to) => {
    const path = new Path2D();
    const x = plot.data[0];
    const values = plot.data[seriesIndex] ?? [];
    const slot = Math.min(
      maxBarWidthPx * count * devicePixelRatio,
      plot.valToPos(gapOf(x), 'x', true) - plot.valToPos(0, 'x', true),
    );
    const width = (slot * barShare) / count;
    const zero = plot.valToPos(0, 'y', true);
    for (let at = from; at <= to; at++) {
      const value = values[at];
      if (value === null || value === undefined) continue;
      const left = plot.valToPos(x[at] ?? 0, 'x', true) - (slot * barShare) / 2 + index * width;
      const top = plot.valToPos(value, 'y', true);
      path.rect(left, Math.min(top, zero), Math.max(1, width * 0.92), Math.abs(zero - top));
    }
    return { stroke: path, fill: path };
  };
}
