/** A small bar chart without axes. The label describes the chart's content in words. */
import classes from './spark-bars.module.css';

export interface BarSeries {
  readonly values: readonly number[];
  /** A CSS color. */
  readonly color: string;
}

const height = 32;
/**
 * The minimum height of a bar. This minimum keeps a value above zero visible even if another value is a thousand times
 * larger.
 */
const minBar = 2;

/** Draws one bar per step. The series of a step are stacked in the given order, with the first series at the bottom. */
export function SparkBars({ series, label }: { series: readonly BarSeries[]; label: string }) {
  const steps = series[0]?.values.length ?? 0;
  const max = highestStep(series);
  const scaled = (value: number): number =>
    value === 0 ? 0 : Math.max(minBar, (value / max) * (height - minBar));
  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${Math.max(1, steps)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {Array.from({ length: steps }, (_none, step) => {
        let top = height;
        return series.map(({ values, color }, index) => {
          const size = scaled(values[step] ?? 0);
          top -= size;
          return size === 0 ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps and series have no identity other than their position
            <rect key={`${step} ${index}`} x={step + 0.1} y={top} width={0.8} height={size} fill={color} />
          );
        });
      })}
      <line className={classes.base} x1={0} x2={Math.max(1, steps)} y1={height} y2={height} />
    </svg>
  );
}

/** Returns the largest sum of the values of a step. */
export function highestStep(series: readonly BarSeries[]): number {
  const steps = series[0]?.values.length ?? 0;
  const sums = Array.from({ length: steps }, (_none, step) =>
    series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0),
  );
  return Math.max(0, ...sums);
}
