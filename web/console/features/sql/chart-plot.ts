/** Draws charts with uPlot. */
import uPlot from 'uplot';
import type { ChartData, ChartKind } from './chart-data.ts';

/** Colors that contrast with the background and with each other in both color schemes. */
const colors = [
  '--plinth-link',
  '--plinth-success-text',
  '--plinth-warning-text',
  '--plinth-danger-text',
  '--plinth-info-text',
  '--plinth-dimmed',
  '--plinth-text',
];
/** The share of a category's width that its bars fill. */
const barShare = 0.8;
const maxBarWidthPx = 80;

const [minHeightPx, maxHeightPx] = [180, 320];
/** The height of the controls and of the legend. */
const besidePx = 130;

/** Returns the size of a plot that fits into the view without scrolling, if the view is high enough. */
export function sizeIn(element: HTMLElement, view: HTMLElement): { width: number; height: number } {
  const height = Math.max(minHeightPx, Math.min(maxHeightPx, view.clientHeight - besidePx));
  return { width: element.clientWidth, height };
}

export const plotData = ({ x, series }: ChartData): uPlot.AlignedData => [
  [...x],
  ...series.map(({ values }) => [...values]),
];

export function createPlot(
  element: HTMLElement,
  size: { width: number; height: number },
  kind: ChartKind,
  data: ChartData,
): uPlot {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--plinth-dimmed'),
    grid: { stroke: color('--plinth-line'), width: 1 },
    ticks: { stroke: color('--plinth-line'), width: 1 },
  };
  const fromZero = kind === 'bar' || kind === 'area';
  return new uPlot(
    {
      ...size,
      legend: { live: false },
      axes: [
        { ...axis, ...(data.scale === 'category' ? categoryAxis(data.labels) : {}) },
        { ...axis, size: 64 },
      ],
      scales: {
        x: { time: data.scale === 'time', range: xRange(kind, data) },
        y: { range: (_plot, min, max) => yRange(min, max, fromZero) },
      },
      series: [
        {},
        ...data.series.map(({ name }, index) => {
          const stroke = color(colors[index % colors.length] ?? '--plinth-text');
          return {
            label: name,
            stroke,
            width: 1.75,
            dash: index >= colors.length ? [6, 4] : [],
            points: { show: kind !== 'bar', size: kind === 'scatter' ? 6 : 4 },
            ...(kind === 'bar' ? { paths: bars(index, data.series.length), fill: stroke } : {}),
            ...(kind === 'area' ? { fill: faded(stroke) } : {}),
            ...(kind === 'scatter' ? { paths: () => null } : {}),
          };
        }),
      ],
    },
    plotData(data),
    element,
  );
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

/** Returns the color with an opacity of 20 %. The canvas normalizes an opaque color to `#rrggbb`. */
function faded(color: string): string {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return color;
  context.fillStyle = color;
  const normal = String(context.fillStyle);
  return normal.startsWith('#') ? `${normal}33` : normal;
}
