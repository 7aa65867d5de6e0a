/**
 * Compiles the main statement of a request. Plain reads and writes return one JSON text per row, which is cheaper than
 * one large aggregate. If totals, other media types or more about a write's effects are requested, the statement returns
 * a single row with fixed columns.
 */
import { createHash } from 'node:crypto';
import { quoteLiteral, Sql, sql } from '../../../../base/kernel/sql.ts';
import { type Routine, returnsScalar, returnsSetOfScalar } from '../../schema-cache/types.ts';
import type { MediaType } from '../parse/media-type.ts';
import type { CrudPlan, Handler, PlanColumn, ReadPlan, WritePlan } from '../plan/types.ts';
import { callOf } from './call.ts';
import { columnOf, nameOf, selectedColumn } from './fragments.ts';
import { type Bindings, type BoundParam, bindParam, type IsConstant, type Param } from './params.ts';
import { countOf, type GivenRanges, selectOf } from './read.ts';
import { INSERTED, writeOf, writeReturning } from './write.ts';

export interface Statement {
  readonly key: string;
  readonly text: string;
  readonly params: readonly Param[];
}

/** The format of the result. `rows`: one JSON text per row. `summary`: one row. `plan`: lines of EXPLAIN output. */
export type ResultForm = 'rows' | 'summary' | 'plan';

export interface Compiled {
  readonly form: ResultForm;
  readonly main: Statement;
  /** Whether the last cell of each row is the number of inserted rows. */
  readonly returnsInserted: boolean;
  /** Returns the main statement with the values of some parameters in its text. */
  readonly specialize: (bindings: Bindings, isConstant: IsConstant) => Statement;
  /**
   * A statement that reads `response.headers` and `response.status`. The statement runs after the main statement if the
   * main statement's result doesn't include these settings.
   */
  readonly settings: Statement | undefined;
  /** Runs EXPLAIN on the count query. The planner's row estimate is used as the total. */
  readonly explain: Statement | undefined;
}

export interface CompileOptions {
  readonly count: 'exact' | 'planned' | 'estimated' | undefined;
  readonly maxRows: number | undefined;
  readonly given: GivenRanges;
  /** Whether any function in this database sets the response headers or the response status. */
  readonly setsResponse: boolean;
  /** Whether Citus plans the statement. */
  readonly isDistributed: boolean;
  readonly resolution: 'merge-duplicates' | 'ignore-duplicates' | undefined;
  readonly headersOnly: boolean;
}

const HEADERS = `nullif(current_setting('response.headers', true), '')`;
const STATUS = `nullif(current_setting('response.status', true), '')`;

export function compile(plan: CrudPlan, options: CompileOptions): Compiled {
  const counts = options.count === 'exact' || options.count === 'estimated';
  const asRows =
    plan.kind === 'read' &&
    !counts &&
    (plan.handler.kind === 'array' || plan.handler.kind === 'object') &&
    plan.mediaType.kind !== 'plan';
  const explain =
    plan.kind === 'read' &&
    (options.count === 'planned' || options.count === 'estimated') &&
    plan.mediaType.kind !== 'plan'
      ? statementOf(sql`explain (format json) ${countOf(plan.read, options.isDistributed)}`)
      : undefined;
  if (asRows) {
    return {
      form: 'rows',
      ...mainOf(rowsOf(selectOf(plan.read, options), plan.handler)),
      settings: options.setsResponse ? statementOf(sql.raw(`select ${HEADERS}, ${STATUS}`)) : undefined,
      explain,
    };
  }
  if (plan.kind === 'write' && isDirect(plan, options)) {
    return {
      form: 'rows',
      ...mainOf(directWriteOf(plan, options)),
      returnsInserted: countsInserted(plan.write, options),
      settings: undefined,
      explain: undefined,
    };
  }
  const summary = summaryOf(plan, options, counts);
  if (plan.mediaType.kind === 'plan') {
    return {
      form: 'plan',
      ...mainOf(explained(plan.mediaType, summary)),
      settings: undefined,
      explain,
    };
  }
  return { form: 'summary', ...mainOf(summary), settings: undefined, explain };
}

function rowsOf(select: Sql, handler: Handler): Sql {
  return sql`select ${asJson(sql.raw('_postgrest_t'), handler)} from (${select}) _postgrest_t`;
}

type WriteAction = Extract<CrudPlan, { kind: 'write' }>;

/**
 * Whether the write returns its rows without another query around it, which takes PostgreSQL a third less time. The
 * response must then not depend on anything but the written rows.
 */
function isDirect({ read, write, handler, mediaType }: WriteAction, options: CompileOptions): boolean {
  const isSelection =
    read.embeds.length === 0 &&
    read.order.length === 0 &&
    read.columns.every((column) => column.aggregate === undefined);
  const isRows = handler.kind === 'array' || handler.kind === 'object';
  const countsMany = countsInserted(write, options) && !write.body.isObject;
  const writesNothing = write.mutation === 'update' && write.body.columns.length === 0;
  return (
    (handler.kind === 'none' || (isRows && isSelection)) &&
    mediaType.kind !== 'plan' &&
    (!options.isDistributed || isDirectInCitus(write, handler)) &&
    !options.setsResponse &&
    !options.headersOnly &&
    !countsMany &&
    !writesNothing
  );
}

/**
 * Whether Citus accepts the direct write. RETURNING can't build JSON except in an insert. An insert without RETURNING is
 * a COPY on the workers, which row-level security forbids.
 */
const isDirectInCitus = ({ mutation, conflict }: WritePlan, handler: Handler): boolean =>
  mutation === 'insert'
    ? handler.kind !== 'none' && conflict === undefined
    : mutation !== 'put' && handler.kind === 'none';

/** Returns a write that returns one JSON text per row if the response contains rows, and the number of inserted rows. */
function directWriteOf({ read, write, handler }: WriteAction, options: CompileOptions): Sql {
  const returned = [
    ...(handler.kind === 'none' ? [] : [jsonOf(returnedRow(read, write), handler)]),
    ...(countsInserted(write, options) ? [sql.raw(INSERTED)] : []),
  ];
  const returning = returned.length === 0 ? sql.empty : sql` returning ${sql.join(returned)}`;
  return writeReturning(write, returning, options.isDistributed);
}

/** Returns an expression for the row that the response contains. */
function returnedRow({ columns }: ReadPlan, { table }: WritePlan): { row: Sql; from: Sql } {
  const [first] = columns;
  const isWhole = first === undefined || (columns.length === 1 && isStar(first));
  if (isWhole) return { row: columnOf(table, '*'), from: sql.empty };
  const list = sql.join(columns.map((column) => selectedColumn(table, column)));
  return { row: sql.raw('_postgrest_t'), from: sql` from (select ${list}) _postgrest_t` };
}

const isStar = ({ field, cast }: PlanColumn): boolean =>
  field.name === '*' && field.jsonPath.length === 0 && cast === undefined;

function jsonOf({ row, from }: { row: Sql; from: Sql }, handler: Handler): Sql {
  const json = asJson(row, handler);
  return from === sql.empty ? json : sql`(select ${json}${from})`;
}

function asJson(row: Sql, handler: Handler): Sql {
  const stripped = (handler.kind === 'array' || handler.kind === 'object') && handler.stripped;
  return stripped ? sql`json_strip_nulls(row_to_json(${row}))` : sql`row_to_json(${row})`;
}

function summaryOf(plan: CrudPlan, options: CompileOptions, counts: boolean): Sql {
  const routine = plan.kind === 'call' ? plan.call.routine : undefined;
  const select = selectOf(plan.read, options);
  // If the response to a write doesn't contain rows, columns and embeds aren't selected.
  const rows =
    plan.kind === 'write' && plan.handler.kind === 'none' ? sql.raw('select * from pgrst_source') : select;
  const source =
    plan.kind === 'write'
      ? writeOf(plan.write, options.isDistributed)
      : plan.kind === 'call'
        ? callOf(plan.call, options.isDistributed)
        : rows;
  const from = plan.kind === 'read' ? sql.raw('select * from pgrst_source') : rows;
  const pageCount = routine !== undefined && !routine.returnsSet ? '1' : 'count(_postgrest_t)';
  const { counting, total } = totalOf(plan, options, counts && plan.kind !== 'write', pageCount);
  const body = bodyOf(plan.handler, routine);
  const settings = sql.raw(`${HEADERS} as headers, ${STATUS} as status`);
  const counted = sql`${total} as total, ${sql.raw(pageCount)} as rows`;
  if (plan.kind !== 'write') {
    return sql`with pgrst_source as (${source})${counting} select ${counted}, ${body} as body, ${settings} from (${from}) _postgrest_t`;
  }
  const location = options.headersOnly ? locationOf(plan.write) : sql.raw('null');
  const inserted = sql.raw(countsInserted(plan.write, options) ? INSERTED : 'null');
  return sql`with pgrst_source as (${source}) select ${counted}, ${location} as location, ${body} as body, ${settings}, ${inserted} as inserted from (${from}) _postgrest_t`;
}

const countsInserted = (write: WritePlan, options: CompileOptions): boolean =>
  !options.isDistributed &&
  (write.mutation === 'put' || (write.mutation === 'insert' && options.resolution === 'merge-duplicates'));

function totalOf(
  plan: CrudPlan,
  options: CompileOptions,
  counts: boolean,
  pageCount: string,
): { counting: Sql; total: Sql } {
  if (!counts) return { counting: sql.empty, total: sql.raw('null::bigint') };
  // Without a limit, the page contains all rows, so the page's row count is the total.
  if (options.maxRows === undefined && !options.given.has('limit')) {
    return { counting: sql.empty, total: sql.raw(pageCount) };
  }
  const estimateLimit =
    plan.kind === 'read' && options.count === 'estimated' && options.maxRows !== undefined
      ? ` limit ${options.maxRows + 1}`
      : '';
  return {
    counting: sql`, pgrst_source_count as (${countOf(plan.read, options.isDistributed)}${sql.raw(estimateLimit)})`,
    total: sql.raw('(select count(*) from pgrst_source_count)'),
  };
}

/**
 * Returns an expression for the names and values of the primary key columns. The value of the expression is null unless
 * exactly one row was inserted.
 */
function locationOf(write: WritePlan): Sql {
  const names = sql.raw(write.primaryKey.map(quoteLiteral).join(', '));
  if (write.mutation !== 'insert' || write.primaryKey.length === 0) return sql.raw('null');
  return sql`case when count(_postgrest_t) = 1 then (select json_agg(json_build_array(pair.key, pair.value)) from (select row_to_json(pgrst_source) as fields from pgrst_source limit 1) first_row cross join json_each_text(first_row.fields) pair where pair.key in (${names})) end`;
}

function bodyOf(handler: Handler, routine: Routine | undefined): Sql {
  switch (handler.kind) {
    case 'none':
      return sql.raw(`''`);
    case 'csv':
      return sql.raw(CSV);
    case 'geojson':
      return sql.raw(
        `json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(_postgrest_t)::json), '[]'))`,
      );
    case 'custom': {
      const call = nameOf(handler.function);
      const rows =
        routine !== undefined && returnsScalar(routine)
          ? sql`${call}(_postgrest_t.pgrst_scalar)`
          : handler.target === undefined
            ? sql`${call}(_postgrest_t)`
            : sql`${call}(_postgrest_t::${nameOf(handler.target)})`;
      return handler.base === 'jsonb' ? sql`pg_catalog.jsonb_send(${rows})` : rows;
    }
    case 'array':
    case 'object': {
      const scalar = routine !== undefined && (returnsScalar(routine) || returnsSetOfScalar(routine));
      const rows = `json_agg(_postgrest_t${scalar ? '.pgrst_scalar' : ''})`;
      const isOne = handler.kind === 'object' || (routine !== undefined && !routine.returnsSet);
      const value = isOne ? `${rows}->0` : rows;
      const stripped = handler.stripped ? `json_strip_nulls(${value})` : value;
      return sql.raw(`coalesce(${stripped}, '${isOne ? 'null' : '[]'}')`);
    }
  }
}

/**
 * Formats rows as CSV: a header line, followed by one line per row in PostgreSQL's record format without its
 * parentheses.
 */
const CSV =
  `(select coalesce(string_agg(names.name, ','), '') from (select json_object_keys(row_to_json(first_row)) as name` +
  ` from (select * from pgrst_source limit 1) first_row) names) || E'\\n' ||` +
  ` coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2), E'\\n'), '')`;

function explained(type: Extract<MediaType, { kind: 'plan' }>, statement: Sql): Sql {
  const options = [`format ${type.format}`, ...type.options];
  return sql`explain (${sql.raw(options.join(', '))}) ${statement}`;
}

const mainOf = (fragment: Sql): Pick<Compiled, 'main' | 'specialize' | 'returnsInserted'> => ({
  returnsInserted: false,
  main: statementOf(fragment),
  specialize: (bindings, isConstant) => statementOf(withConstants(fragment, bindings, isConstant)),
});

function withConstants(fragment: Sql, bindings: Bindings, isConstant: IsConstant): Sql {
  return new Sql(
    fragment.parts.map((part) =>
      part.kind === 'value' && isConstant(part.value as Param)
        ? { kind: 'text', text: literalOf(bindParam(part.value as Param, bindings)) }
        : part,
    ),
  );
}

const literalOf = (value: BoundParam): string => (value === null ? 'null' : quoteLiteral(String(value)));

function statementOf(fragment: Sql): Statement {
  const { text, values } = fragment.compile();
  return {
    key: createHash('sha1').update(text).digest('base64url'),
    text,
    // All parameter values in the fragments were created by `param`.
    params: values as Param[],
  };
}
