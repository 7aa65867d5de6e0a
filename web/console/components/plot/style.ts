/** Defines the style of all charts, including axes, lines, and formats for times and numbers. */
import type uPlot from 'uplot';

/** The CSS variables of line colors, for charts whose lines don't have fixed colors. */
export const lineColors = [1, 2, 3, 4, 5, 6, 7].map((number) => `--plinth-series-${number}`);

const fontSizePx = 11;
const daySeconds = 86_400;
const minuteSeconds = 60;
const millisPerSecond = 1000;

/** Returns the value of an element's CSS variable, because a canvas can't use variables. */
export const colorIn = (element: Element, variable: string): string =>
  getComputedStyle(element).getPropertyValue(variable).trim();

/** Returns axes with horizontal grid lines only. */
export function axesIn(element: Element): { x: uPlot.Axis; y: uPlot.Axis } {
  const line = colorIn(element, '--plinth-line');
  const shared = {
    font: `${fontSizePx}px ${getComputedStyle(element).fontFamily}`,
    stroke: colorIn(element, '--plinth-dimmed'),
  };
  return {
    x: { ...shared, size: 30, gap: 6, grid: { show: false }, ticks: { stroke: line, width: 1, size: 4 } },
    y: { ...shared, gap: 8, grid: { stroke: line, width: 1 }, ticks: { show: false } },
  };
}

/** The style of a line. A point is drawn only for a value without neighbors, where the line would be invisible. */
export const lineStyle = { width: 1.75, points: { show: true, size: 5, filter: isolatedPoints } } as const;

/** Returns the positions whose neighbors don't have a value. */
function isolatedPoints(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isMissing = (at: number): boolean => (values[at] ?? null) === null;
  return Array.from({ length: values.length }, (_none, at) => at).filter(
    (at) => !isMissing(at) && isMissing(at - 1) && isMissing(at + 1),
  );
}

const dayText = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const minuteText = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const secondText = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Formats the times on an axis whose marks are `step` seconds apart. */
export const timeMarks: uPlot.Axis.DynamicValues = (...[, splits, , , step]) => {
  const format = step >= minuteSeconds ? minuteText : secondText;
  return splits.map((seconds) => {
    // If the marks are less than a second apart, only those of whole seconds have a text.
    if (Math.abs(seconds - Math.round(seconds)) > 1 / millisPerSecond) return null;
    const time = new Date(seconds * millisPerSecond);
    const isMidnight = time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0;
    return (step >= daySeconds || isMidnight ? dayText : format).format(time);
  });
};

/** Formats the time of a single point. */
export const printTime = (seconds: number): string => {
  const time = new Date(seconds * millisPerSecond);
  return `${dayText.format(time)}, ${secondText.format(time)}`;
};

/**
 * Returns the color with the given opacity, which is a percentage. The canvas normalizes an opaque color to `#rrggbb`.
 */
export function faded(color: string, percent: number): string {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return color;
  context.fillStyle = color;
  const normal = String(context.fillStyle);
  const opacity = Math.round((percent / 100) * 255).toString(16);
  return normal.startsWith('#') ? `${normal}${opacity.padStart(2, '0')}` : normal;
}

/** The mark at the pointer: a vertical line, with a point on each line of the chart. */
export const cursor: uPlot.Cursor = {
  y: false,
  points: { size: 7, width: 2 },
  drag: { setScale: false },
};

/** Shows the lines of a chart, except the lines that the operator has hidden. */
export function showLines(plot: uPlot | undefined, hidden: ReadonlySet<string>): void {
  plot?.series.forEach(({ label, show }, index) => {
    const isShown = !hidden.has(String(label));
    if (index > 0 && show !== isShown) plot.setSeries(index, { show: isShown });
  });
}
