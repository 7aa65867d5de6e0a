/** Chooses and prepares the data for a chart of a query result. */
import type { ChartChoice, RunColumn } from './api.ts';

export type { ChartChoice };
export type ChartKind = ChartChoice['kind'];
export const chartKinds: readonly ChartKind[] = ['line', 'bar', 'area', 'scatter'];

export type Rows = readonly (readonly (string | null)[])[];

const numberType = /^(?:smallint|integer|bigint|oid|real|double precision|numeric|money)\b/;
const timeType = /^(?:date|timestamp)\b/;

export const isNumberType = (type: string): boolean => numberType.test(type) && !type.endsWith('[]');
const isTimeType = (type: string): boolean => timeType.test(type) && !type.endsWith('[]');

/** The number of lines in a new chart. */
const firstSeries = 3;

/** Returns the names of the columns that can be drawn because they contain numbers. */
export const numberColumns = (columns: readonly RunColumn[]): string[] => [
  ...new Set(columns.filter(({ type }) => isNumberType(type)).map(({ name }) => name)),
];

/** Chooses a chart for a result. Returns undefined if the result doesn't contain numbers. */
export function defaultChart(columns: readonly RunColumn[]): ChartChoice | undefined {
  const numbers = numberColumns(columns);
  const x =
    columns.find(({ type }) => isTimeType(type)) ??
    columns.find(({ type }) => !isNumberType(type)) ??
    columns[0];
  if (x === undefined) return undefined;
  const y = numbers.filter((name) => name !== x.name).slice(0, firstSeries);
  if (y.length === 0) return undefined;
  return { kind: isTimeType(x.type) || isNumberType(x.type) ? 'line' : 'bar', x: x.name, y };
}

/** Returns the choice without columns that the result doesn't have, or undefined if no columns remain. */
export function fittingChart(
  choice: ChartChoice | undefined,
  columns: readonly RunColumn[],
): ChartChoice | undefined {
  if (choice === undefined || !columns.some(({ name }) => name === choice.x)) return undefined;
  const numbers = numberColumns(columns);
  const y = choice.y.filter((name) => numbers.includes(name));
  return { ...choice, y };
}

export interface ChartData {
  readonly scale: 'time' | 'number' | 'category';
  /** The text of each point on the x axis, in the order of {@link x}. */
  readonly labels: readonly string[];
  /** The x values in ascending order, which are seconds since the epoch, numbers or positions. */
  readonly x: readonly number[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

export function chartData(choice: ChartChoice, columns: readonly RunColumn[], rows: Rows): ChartData {
  const at = (name: string): number => columns.findIndex((column) => column.name === name);
  const xAt = at(choice.x);
  const type = columns[xAt]?.type ?? '';
  const scale = isTimeType(type) ? 'time' : isNumberType(type) ? 'number' : 'category';
  const points = rows.flatMap((row, index) => {
    const label = row[xAt] ?? null;
    const x = scale === 'category' ? index : label === null ? null : valueOn(scale, label);
    return x === null || Number.isNaN(x) ? [] : [{ x, label: label ?? '', row }];
  });
  if (scale !== 'category') points.sort((left, right) => left.x - right.x);
  return {
    scale,
    labels: points.map(({ label }) => label),
    x: points.map(({ x }) => x),
    series: choice.y.map((name) => {
      const column = at(name);
      return { name, values: points.map(({ row }) => numberOf(row[column] ?? null)) };
    }),
  };
}

const valueOn = (scale: 'time' | 'number', text: string): number =>
  scale === 'number' ? (numberOf(text) ?? Number.NaN) : secondsOf(text);

/** Parses a number in PostgreSQL's format. Amounts of money can have a currency sign and separators. */
function numberOf(text: string | null): number | null {
  if (text === null || !/\d/.test(text)) return null;
  const value = Number(/^-?[\d.]/.test(text) ? text.replaceAll(',', '') : text.replaceAll(/[^\d.eE+-]/g, ''));
  return Number.isFinite(value) ? value : null;
}

/** Parses a time in PostgreSQL's format, such as `2026-01-02 03:04:05.6+00`. A time without a zone is local. */
function secondsOf(text: string): number {
  const [, date, clock = '00:00:00', zone = ''] =
    /^(\d{4,}-\d{2}-\d{2})(?:[ T]([\d:.]+)([+-]\d{2}(?::?\d{2})?)?)?$/.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone;
  return Date.parse(`${date}T${clock}${offset}`) / 1000;
}
