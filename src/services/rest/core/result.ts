/** Reads a PostgreSQL result in the format of its statement. The bytes of the rows aren't changed. */
import type { PathResult, RowStore } from '../../../platform/database/types.ts';
import { type RestError, restError } from '../errors.ts';
import { type Body, fromHex, storedBody } from './body.ts';
import type { CrudPlan } from './plan/types.ts';
import type { Shape } from './shapes.ts';

export interface Result {
  /** The number of rows in this response. */
  readonly rows: number;
  /** The total number of rows. Undefined if the rows weren't counted. */
  readonly total: number | undefined;
  readonly body: Body;
  /** The primary key of the inserted row, if exactly one row was inserted. */
  readonly location: readonly (readonly [string, string])[];
  /** The value of the database setting `response.headers`, as JSON text. */
  readonly headers: string | undefined;
  readonly status: string | undefined;
  /** The number of rows that an upsert inserted. Undefined if the rows weren't counted. */
  readonly inserted: number | undefined;
}

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
/** The separator that json_agg puts between rows. */
export const ROW_SEPARATOR = Buffer.from(', \n ');
const NEWLINE = Buffer.from('\n');

export function readResult(shape: Shape, result: PathResult, maxRows: number | undefined): Result {
  const { compiled, plan } = shape;
  const estimate = compiled.explain === undefined ? undefined : plannedRows(result.after.at(-1)?.[0]?.[0]);
  const nothing = { location: [], headers: undefined, status: undefined, inserted: undefined };
  switch (compiled.form) {
    case 'plan':
      return {
        ...nothing,
        rows: 0,
        total: undefined,
        body: result.rows.flatMap(([line]) => (line ? [line, NEWLINE] : [NEWLINE])),
      };
    case 'rows': {
      const stored = storedIn(result);
      const texts = result.rows.map(([text]) => text as Buffer);
      const settings = compiled.settings === undefined ? undefined : result.after[0]?.[0];
      return {
        ...nothing,
        rows: writesOnly(plan) ? affectedRows(result.commandTag) : result.rowCount,
        total: estimate,
        inserted: compiled.returnsInserted ? insertedRows(result) : undefined,
        body:
          plan.handler.kind === 'object'
            ? stored
              ? storedBody(stored)
              : texts.slice(0, 1)
            : stored
              ? storedBody(stored, OPEN, CLOSE)
              : joined(texts),
        headers: settings?.[0]?.toString(),
        status: settings?.[1]?.toString(),
      };
    }
    case 'summary': {
      const [total, rows, ...others] = result.rows[0] ?? [];
      const [location, body, headers, status, inserted] = plan.kind === 'write' ? others : [null, ...others];
      const counted = numberOf(total);
      const stored = storedIn(result);
      const whole = stored === undefined ? (body ? [body] : []) : storedBody(stored);
      return {
        rows: numberOf(rows) ?? 0,
        total: estimate === undefined ? counted : totalOf(shape, counted, estimate, maxRows),
        body: plan.handler.kind === 'custom' && plan.handler.base !== 'other' ? fromHex(whole) : whole,
        location: location
          ? (JSON.parse(location.toString()) as [string, string | null][]).map(locationPair)
          : [],
        headers: headers?.toString(),
        status: status?.toString(),
        inserted: numberOf(inserted),
      };
    }
  }
}

const writesOnly = (plan: CrudPlan): boolean => plan.kind === 'write' && plan.handler.kind === 'none';

/** Returns the number at the end of a command tag such as `INSERT 0 1`. */
const affectedRows = (commandTag: string): number =>
  Number(commandTag.slice(commandTag.lastIndexOf(' ') + 1));

/** A trigger can suppress the row, which was counted before that. */
const insertedRows = ({ rows }: PathResult): number | undefined =>
  rows.length === 0 ? 1 : numberOf(rows.at(-1)?.at(-1));

const locationPair = ([name, value]: [string, string | null]): [string, string] => [
  name,
  value === null ? 'is.null' : `eq.${value}`,
];

const numberOf = (text: Buffer | null | undefined): number | undefined =>
  text === null || text === undefined || text.length === 0 ? undefined : Number(text.toString());

/**
 * Returns the total. If an estimate is requested, counting stops as soon as the count exceeds `max-rows`. For larger
 * results, the total is the larger of the count and the planner's estimate.
 */
function totalOf(shape: Shape, counted: number | undefined, estimate: number, maxRows: number | undefined) {
  if (shape.preferences.count === 'planned' || counted === undefined) return estimate;
  return maxRows === undefined || counted > maxRows ? Math.max(counted, estimate) : counted;
}

/** Returns the store that contains the response, or undefined if the response is in memory. */
const storedIn = ({ stored }: PathResult): RowStore | undefined =>
  stored !== undefined && stored.cells > 0 ? stored : undefined;

function plannedRows(explained: Buffer | null | undefined): number | undefined {
  if (!explained) return undefined;
  const [first] = JSON.parse(explained.toString()) as [{ Plan: { 'Plan Rows': number } }];
  return first.Plan['Plan Rows'];
}

function joined(chunks: readonly Buffer[]): Uint8Array[] {
  const parts: Uint8Array[] = [OPEN];
  chunks.forEach((chunk, index) => {
    if (index > 0) parts.push(ROW_SEPARATOR);
    parts.push(chunk);
  });
  parts.push(CLOSE);
  return parts;
}

/** Returns the error for a result that requires a rollback, even though every statement succeeded. */
export function rejection(shape: Shape, rows: number): RestError | undefined {
  const { plan, preferences } = shape;
  if (shape.compiled.form === 'plan') return undefined;
  if (plan.kind === 'write' && plan.write.mutation === 'put') {
    return rows === 1 ? undefined : restError('PGRST115');
  }
  if (plan.mediaType.kind === 'object' && rows !== 1) {
    return restError('PGRST116', { details: `The result contains ${rows} rows` });
  }
  if (limitsAffected(shape) && rows > (preferences.maxAffected ?? 0)) {
    return restError('PGRST124', { details: `The query affects ${rows} rows` });
  }
  return undefined;
}

/** Whether `max-affected` applies. With strict handling, `max-affected` applies to updates, deletes and calls. */
export function limitsAffected({ plan, preferences }: Shape): boolean {
  if (preferences.maxAffected === undefined || preferences.handling !== 'strict') return false;
  return (
    plan.kind === 'call' ||
    (plan.kind === 'write' && (plan.write.mutation === 'update' || plan.write.mutation === 'delete'))
  );
}
