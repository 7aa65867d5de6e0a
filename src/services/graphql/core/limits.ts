/**
 * Limits the cost of a request before it is planned. The request is walked along the types of the schema. The walk ends
 * at the first limit that is exceeded, so it costs little itself.
 */
import { maxRowsOf } from './catalog.ts';
import { GraphqlError } from './error.ts';
import type { GraphqlRequest } from './plan.ts';
import type { Document, FieldNode, Literal, Operation, Selection } from './request/ast.ts';
import { chooseOperation } from './request/operation.ts';
import { parse } from './request/parse.ts';
import { fieldOf, namedType } from './schema/lookup.ts';
import type { InterfaceType, NamedType, ObjectType, Schema } from './schema/types.ts';

export interface Limits {
  /** The maximum number of nested fields. */
  readonly depth: number;
  /** The maximum number of fields in the response, if each page is full. */
  readonly complexity: number;
  readonly aliases: number;
  readonly queryBytes: number;
  readonly variablesBytes: number;
}

/** The maximum number of requests that are known to be within the limits. */
const MAX_KNOWN = 1000;
/** The maximum length of such a request's query. */
const MAX_KNOWN_LENGTH = 16 * 1024;

/** Checks the requests to one schema. */
export class LimitCheck {
  readonly #schema: Schema;
  /**
   * The queries that are within the limits if all pages are full, whatever their variables are. A query is followed by
   * the name of the operation.
   */
  readonly #known = new Set<string>();
  #limits: Limits | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * Returns the error of a request that exceeds a limit. Returns undefined for a request with other errors, because the
   * plan contains them.
   *
   * @param jsonBytes the size of the request as JSON, which is an upper bound for the size of the variables
   */
  errorOf(request: GraphqlRequest, limits: Limits, jsonBytes: number): string | undefined {
    const { query, variables, operationName } = request;
    if (query === null) return undefined;
    if (jsonBytes > limits.variablesBytes && sizeOf(variables) > limits.variablesBytes)
      return `The variables are larger than ${limits.variablesBytes} bytes`;
    if (limits !== this.#limits) this.#known.clear();
    this.#limits = limits;
    const key = query.length > MAX_KNOWN_LENGTH ? undefined : `${query}\0${operationName ?? ''}`;
    if (key !== undefined && this.#known.has(key)) return undefined;
    // A character has at most 3 bytes in UTF-8 per unit of UTF-16.
    if (query.length * 3 > limits.queryBytes && Buffer.byteLength(query) > limits.queryBytes)
      return `The query is larger than ${limits.queryBytes} bytes`;
    const walk = (given: unknown) => limitError(this.#schema, { ...request, variables: given }, limits);
    if (walk(null) !== undefined) return walk(variables);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    if (key !== undefined) this.#known.add(key);
    return undefined;
  }
}

function limitError(
  schema: Schema,
  { query, variables, operationName }: GraphqlRequest,
  limits: Limits,
): string | undefined {
  try {
    const document = parse(query ?? '');
    const walk = new Walk(document, isRecord(variables) ? variables : {}, schema, limits);
    walk.operation(chooseOperation(document, operationName));
    return undefined;
  } catch (error) {
    if (error instanceof LimitError) return error.message;
    if (error instanceof GraphqlError) return undefined;
    throw error;
  }
}

/** The maximum number of fields and fragments in the query, counted once for each place where a fragment is used. */
const MAX_SELECTIONS = 50_000;

class LimitError extends Error {
  override readonly name = 'LimitError';
}

class Walk {
  readonly #fragments: ReadonlyMap<string, readonly Selection[]>;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #schema: Schema;
  readonly #limits: Limits;
  #complexity = 0;
  #aliases = 0;
  #visited = 0;

  constructor(
    { fragments }: Document,
    variables: Readonly<Record<string, unknown>>,
    schema: Schema,
    limits: Limits,
  ) {
    this.#fragments = new Map(fragments.map(({ name, selections }) => [name, selections]));
    this.#variables = variables;
    this.#schema = schema;
    this.#limits = limits;
  }

  operation(operation: Operation): void {
    const root = operation.kind === 'query' ? this.#schema.query : this.#schema.mutation;
    this.#selections(operation.selections, root, 1, 1);
  }

  /** `rows` is the number of objects from which the fields are selected. */
  #selections(
    selections: readonly Selection[],
    type: NamedType | undefined,
    rows: number,
    depth: number,
  ): void {
    for (const selection of selections) {
      if (++this.#visited > MAX_SELECTIONS)
        throw new LimitError(`The query has more than ${MAX_SELECTIONS} fields`);
      if (selection.kind === 'field') this.#field(selection, type, rows, depth);
      else if (selection.kind === 'inline') this.#selections(selection.selections, type, rows, depth);
      else this.#selections(this.#fragments.get(selection.fragment) ?? [], type, rows, depth);
    }
  }

  #field(field: FieldNode, type: NamedType | undefined, rows: number, depth: number): void {
    const { complexity, aliases, depth: maxDepth } = this.#limits;
    if (depth > maxDepth) throw new LimitError(`The query has more than ${maxDepth} nested fields`);
    if (field.key !== field.name && ++this.#aliases > aliases)
      throw new LimitError(`The query has more than ${aliases} aliases`);
    this.#complexity += rows;
    if (this.#complexity > complexity)
      throw new LimitError(`The response can have more than ${complexity} fields. Request smaller pages`);
    if (field.selections.length === 0) return;
    const found = hasFields(type) ? fieldOf(type, field.name)?.type : undefined;
    const named = found && namedType(found);
    this.#selections(field.selections, named, rows * this.#rowsOf(field, named), depth + 1);
  }

  /** Returns the maximum number of objects in the field's value, of which the rows of a page are the nodes. */
  #rowsOf({ arguments: args }: FieldNode, type: NamedType | undefined): number {
    if (type?.kind !== 'OBJECT' || type.role.is !== 'connection') return 1;
    const page = maxRowsOf(this.#schema.catalog, type.role.table);
    const given = args
      .filter(({ name }) => name === 'first' || name === 'last')
      .map(({ value }) => this.#numberOf(value))
      .filter((value) => value !== undefined);
    return Math.max(1, Math.min(page, ...given));
  }

  #numberOf(value: Literal): number | undefined {
    if (value.kind === 'int') return Number(value.text);
    if (value.kind !== 'variable') return undefined;
    const given = this.#variables[value.name];
    if (typeof given === 'number') return given;
    // The default of a variable isn't read, so a full page is assumed.
    return undefined;
  }
}

const hasFields = (type: NamedType | undefined): type is ObjectType | InterfaceType =>
  type?.kind === 'OBJECT' || type?.kind === 'INTERFACE';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sizeOf = (variables: unknown): number =>
  Buffer.byteLength(
    JSON.stringify(variables, (_key, value) => (typeof value === 'bigint' ? String(value) : value)) ?? '',
  );
