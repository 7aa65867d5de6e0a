/** Creates the errors for failed lookups in the schema cache, with details and suggestions. */
import { type RestError, restError } from '../../errors.ts';
import {
  type KeyRelationship,
  keyOf,
  type Relationship,
  type Routine,
  type SchemaCache,
} from '../../schema-cache/types.ts';
import type { MediaType } from '../parse/media-type.ts';
import { matches, nearest } from './fuzzy.ts';

const NEAR_MISS = 0.75;
/**
 * Similar table names are suggested only if the schema has fewer tables than this limit, because the search would
 * otherwise take too long.
 */
const MAX_TABLES_TO_SEARCH = 500;

const namesIn = (keys: Iterable<string>, schema: string): string[] =>
  [...keys].filter((key) => key.startsWith(`${schema}\0`)).map((key) => key.slice(schema.length + 1));

export function tableNotFound(cache: SchemaCache, schema: string, name: string): RestError {
  const names = namesIn(cache.relations.keys(), schema);
  const near = names.length < MAX_TABLES_TO_SEARCH ? nearest(names, name, NEAR_MISS) : undefined;
  return restError('PGRST205', {
    texts: { table: `${schema}.${name}` },
    hint: near === undefined ? null : `Perhaps you meant the table '${schema}.${near}'`,
  });
}

/** An embed whose relationship is looked up. */
export interface EmbedAttempt {
  readonly schema: string;
  readonly origin: string;
  readonly target: string;
  readonly hint: string | undefined;
}

export function relationshipNotFound(
  cache: SchemaCache,
  { schema, origin, target, hint }: EmbedAttempt,
): RestError {
  const found = cache.relationships.get(keyOf(schema, origin));
  let suggestion: string | null = null;
  if (found === undefined) {
    const near = nearest(namesIn(cache.relationships.keys(), schema), origin);
    if (near !== undefined) suggestion = `Perhaps you meant '${near}' instead of '${origin}'.`;
  } else {
    // If a relation with the target's name exists, suggesting a different name would be wrong.
    const near = matches(
      found.map((one) => one.foreignTable.name),
      target,
    ).find(({ score }) => score < 1);
    if (near !== undefined) suggestion = `Perhaps you meant '${near.name}' instead of '${target}'.`;
  }
  const using = hint === undefined ? '' : ` using the hint '${hint}'`;
  return restError('PGRST200', {
    texts: { origin, target },
    details: `Searched for a foreign key relationship between '${origin}' and '${target}'${using} in the schema '${schema}', but no matches were found.`,
    hint: suggestion,
  });
}

export function ambiguousRelationship(
  origin: string,
  target: string,
  found: readonly Relationship[],
): RestError {
  const keys = found.filter((one) => one.kind === 'key');
  const choices = keys
    .map((one) => `'${one.foreignTable.name}!${one.junction?.table.name ?? one.constraint}'`)
    .join(', ');
  return restError('PGRST201', {
    texts: { origin, target },
    details: keys.map(describe),
    hint: `Try changing '${target}' to one of the following: ${choices}. Find the desired relationship in the 'details' key.`,
  });
}

function describe(one: KeyRelationship): Record<string, string> {
  const list = (columns: readonly string[]) => `(${columns.join(', ')})`;
  const here = one.table.name;
  const there = one.foreignTable.name;
  const { junction } = one;
  const relationship =
    junction === undefined
      ? `${one.constraint} using ${here}${list(one.columns.map(([a]) => a))} and ${there}${list(one.columns.map(([, b]) => b))}`
      : `${junction.table.name} using ${junction.constraint1}${list(junction.sourceColumns.map(([, b]) => b))} and ${junction.constraint2}${list(junction.targetColumns.map(([, b]) => b))}`;
  return { cardinality: one.cardinality, embedding: `${here} with ${there}`, relationship };
}

export interface CallAttempt {
  readonly schema: string;
  readonly name: string;
  /** The sorted names of the given arguments. */
  readonly given: readonly string[];
  readonly contentType: MediaType;
  readonly isPost: boolean;
}

const UNNAMED: Readonly<Record<string, string>> = { text: 'text', xml: 'xml', bytes: 'bytea' };

export function routineNotFound(cache: SchemaCache, call: CallAttempt): RestError {
  const name = `${call.schema}.${call.name}`;
  const list = call.given.join(', ');
  const single = call.isPost ? UNNAMED[call.contentType.kind] : undefined;
  const named =
    call.given.length === 0
      ? ' without parameters'
      : ` with parameter${call.given.length > 1 ? 's' : ''} ${list}`;
  const searched =
    single !== undefined
      ? ` with a single unnamed ${single} parameter`
      : call.isPost && call.contentType.kind === 'json'
        ? `${named} or with a single unnamed json/jsonb parameter`
        : named;
  const shown = call.given.length === 0 ? ' without parameters' : `(${list})`;
  return restError('PGRST202', {
    texts: { call: single === undefined ? `${name}${shown}` : name },
    details: `Searched for the function ${name}${searched}, but no matches were found in the schema cache.`,
    hint: single === undefined ? routineHint(cache, call) : null,
  });
}

function routineHint(cache: SchemaCache, call: CallAttempt): string | null {
  const overloads = cache.routines.get(keyOf(call.schema, call.name));
  const list = (names: readonly string[]) => `(${names.toSorted().join(', ')})`;
  const near =
    overloads === undefined
      ? nearest(namesIn(cache.routines.keys(), call.schema), call.name, NEAR_MISS)
      : nearest(
          overloads.map((one) => list(one.parameters.map((parameter) => parameter.name))),
          list(call.given),
        );
  if (near === undefined) return null;
  return `Perhaps you meant to call the function ${call.schema}.${overloads === undefined ? '' : call.name}${near}`;
}

export function ambiguousRoutine(found: readonly Routine[]): RestError {
  const candidates = found
    .map((one) => {
      const parameters = one.parameters.map(({ name, type }) => `${name} => ${type}`).join(', ');
      return `${one.schema}.${one.name}(${parameters})`;
    })
    .join(', ');
  return restError('PGRST203', {
    texts: { candidates },
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  });
}
