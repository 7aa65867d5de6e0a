/** Compiles the operation of a document. The result can be bound to any variables that its pins allow. */

import type { Sql } from '../../../base/kernel/sql.ts';
import type { GivenContext, Variables } from './coerce/given.ts';
import { fromLiteral } from './coerce/given.ts';
import { readArgument } from './coerce/input.ts';
import { constant, type Pin, Pins, type Slot } from './coerce/slots.ts';
import { callOf } from './compile/call.ts';
import type { CompileContext } from './compile/context.ts';
import { Aliases, jsonObject, type Pair, render, sql } from './compile/fragments.ts';
import { type Change, insert, remove, update } from './compile/mutation.ts';
import { nodeFields } from './compile/node.ts';
import { queryField } from './compile/query.ts';
import { GraphqlError } from './error.ts';
import { Introspection } from './introspection.ts';
import {
  type Plan,
  type PlanOptions,
  type ResponseError,
  renderObject,
  renderQuery,
  type Statement,
  type Step,
} from './plan.ts';
import type { Document, Operation } from './request/ast.ts';
import { type NormalizeContext, normalize, type Selected } from './request/normalize.ts';
import { chooseOperation } from './request/operation.ts';
import { fieldOf } from './schema/lookup.ts';
import type { Field, ObjectType, Schema } from './schema/types.ts';

export interface PrepareRequest {
  readonly document: Document;
  readonly operationName: string | null;
  readonly variables: Variables;
  readonly placeholders: PlanOptions['placeholders'];
}

/** A plan whose statements lack their values. */
export interface PreparedPlan {
  readonly pins: readonly Pin[];
  /** The number of characters in its statements. */
  readonly size: number;
  readonly bind: (variables: Variables) => Plan;
}

/** The maximum number of fields that an operation selects after its fragments are expanded. */
const MAX_FIELDS = 20_000;
/** The maximum number of values of a statement, which the protocol sets. */
const MAX_VALUES = 65_535;

/**
 * Prepares an operation. Yields when other work can be done, while it answers the introspection of a schema.
 *
 * @throws a GraphqlError if the whole request is faulty, rather than some of its fields.
 */
export function* prepare(schema: Schema, request: PrepareRequest): Generator<void, PreparedPlan> {
  const { document, variables, placeholders } = request;
  const operation = chooseOperation(document, request.operationName);
  const pins = new Pins(variables);
  const given: GivenContext = { variables, definitions: operation.variables };
  const context: CompileContext = {
    ...given,
    schema,
    pins,
    aliases: new Aliases(),
    nodeFields,
    introspection: new Introspection(schema),
  };
  const selectionsOf = (type: ObjectType) => normalize(operation.selections, type.name, normalizing);
  const normalizing: NormalizeContext = {
    fragments: document.fragments,
    booleanOf: (name) => booleanOf(name, operation, variables),
    budget: MAX_FIELDS,
  };
  const bind =
    operation.kind === 'mutation'
      ? prepareMutation(schema, selectionsOf, context, placeholders)
      : yield* prepareQuery(schema.query, selectionsOf(schema.query), context, placeholders);
  return { pins: pins.all, size: sizeOf(bind(variables)), bind };
}

function sizeOf(plan: Plan): number {
  if (plan.kind === 'response') return plan.json.length;
  if (plan.kind === 'query') return plan.statement.text.length;
  return plan.steps.reduce(
    (size, step) => size + (step.kind === 'statement' ? step.statement.text.length : 0),
    0,
  );
}

/** A boolean is a part of the variables' shape, so reading one doesn't pin it. */
function booleanOf(
  name: string,
  { variables: definitions }: Operation,
  variables: Variables,
): boolean | undefined {
  const value = fromLiteral({ kind: 'variable', name }, { variables, definitions });
  return value.kind === 'boolean' ? value.text === 'true' : undefined;
}

type Bind = PreparedPlan['bind'];

const always =
  (plan: Plan): Bind =>
  () =>
    plan;

const dataless = (message: string): Bind =>
  always({ kind: 'response', json: renderQuery('null', [{ message }]) });

/** The JSON text of a value that's known while planning, or an expression for the JSON of the value. */
type Value = { readonly json: string } | { readonly sql: Sql };

function* prepareQuery(
  type: ObjectType,
  selections: readonly Selected[],
  context: CompileContext,
  placeholders: PlanOptions['placeholders'],
): Generator<void, Bind> {
  if (selections.length === 0) throw new GraphqlError('Selection set must not be empty');
  const values: [key: string, value: Value][] = [];
  const errors: ResponseError[] = [];
  for (const selected of selections) {
    try {
      values.push([selected.key, yield* queryValue(type, selected, context)]);
    } catch (error) {
      if (!(error instanceof GraphqlError)) throw error;
      errors.push({ message: error.message });
    }
  }
  const known = values.flatMap(([key, value]) => ('json' in value ? [[key, value.json] as const] : []));
  if (known.length === values.length) {
    const data = values.length === 0 ? 'null' : renderObject(known);
    return always({ kind: 'response', json: renderQuery(data, errors) });
  }
  const pairs = values.map(([key, value]): Pair => {
    if ('sql' in value) return [key, value.sql];
    return [key, sql`${constant(value.json)}::pg_catalog.json`];
  });
  const bindStatement = prepareStatement(sql`select ${jsonObject(pairs)} as data`, placeholders);
  return (variables) => ({ kind: 'query', statement: bindStatement(variables), errors });
}

function* queryValue(type: ObjectType, selected: Selected, context: CompileContext): Generator<void, Value> {
  const field = fieldOf(type, selected.name);
  if (field === undefined) throw unknownField(type, selected);
  switch (field.source?.is) {
    case '__typename':
      return { json: JSON.stringify(type.name) };
    case '__schema':
      return { json: yield* context.introspection.schema(selected) };
    case '__type':
      return { json: context.introspection.type(selected, typeNameOf(field, selected, context)) };
    default:
      return { sql: queryField(field, selected, context) };
  }
}

function typeNameOf(field: Field, selected: Selected, context: CompileContext): string {
  const input = readArgument(field, 'name', selected.arguments, context);
  if (input.kind !== 'scalar') throw new GraphqlError('Internal Error: failed to parse validated name');
  const { text, place } = input.given;
  if (place !== null) context.pins.examine(place, String);
  return text;
}

const unknownField = (type: ObjectType, { name }: Selected): GraphqlError =>
  new GraphqlError(`Unknown field "${name}" on type ${type.name}`);

type BindStep = (variables: Variables) => Step;

function prepareMutation(
  { mutation }: Schema,
  selectionsOf: (type: ObjectType) => readonly Selected[],
  context: CompileContext,
  placeholders: PlanOptions['placeholders'],
): Bind {
  if (mutation === undefined) return dataless('Unknown type Mutation');
  const selections = selectionsOf(mutation);
  if (selections.length === 0) return dataless('Selection set must not be empty');
  try {
    const steps = selections.map((selected) => prepareStep(mutation, selected, context, placeholders));
    return (variables) => ({ kind: 'mutation', steps: steps.map((step) => step(variables)) });
  } catch (error) {
    if (!(error instanceof GraphqlError)) throw error;
    return dataless(error.message);
  }
}

function prepareStep(
  type: ObjectType,
  selected: Selected,
  context: CompileContext,
  placeholders: PlanOptions['placeholders'],
): BindStep {
  const { key } = selected;
  const field = fieldOf(type, selected.name);
  if (field === undefined) throw unknownField(type, selected);
  if (field.source?.is === '__typename') {
    const step: Step = { kind: 'constant', key, json: JSON.stringify(type.name) };
    return () => step;
  }
  const { statement, limit } = changeOf(field, selected, context);
  const bindStatement = prepareStatement(statement, placeholders);
  return (variables) => ({
    kind: 'statement',
    key,
    statement: bindStatement(variables),
    limit: limit === null ? null : { rows: Number(limit.rows.read(variables)), message: limit.message },
  });
}

function changeOf(field: Field, selected: Selected, context: CompileContext): Change {
  const { source } = field;
  switch (source?.is) {
    case 'insert':
      return insert({ field, selected }, source.table, context);
    case 'update':
      return update({ field, selected }, source.table, context);
    case 'delete':
      return remove({ field, selected }, source.table, context);
    case 'call':
      return {
        statement: sql`select ${callOf(field, source.function, selected, context)} as data`,
        limit: null,
      };
    default:
      throw new Error(`${field.name} isn't a field of a mutation`);
  }
}

function prepareStatement(
  fragment: Sql,
  placeholders: PlanOptions['placeholders'],
): (variables: Variables) => Statement {
  const { text, slots } = render(fragment, placeholders);
  if (slots.length > MAX_VALUES) throw new GraphqlError('The request contains too many values');
  return (variables) => ({ text, values: slots.map((slot: Slot) => slot.read(variables)) });
}
