/**
 * Adds the objects from the generated types that are still missing in the database after the migrations. These objects
 * are tables, views and functions that were created in the dashboard, and that the app needs but the migrations don't.
 */
import { missingExtension, serviceSchemas } from '../../folder/index.ts';
import type { ColumnModel, SchemaModel } from '../../types-file/index.ts';
import type { Catalog, TableDraft } from './draft.ts';
import { returnsOf } from './functions.ts';
import { typeOfValue } from './print.ts';
import type { Repairer } from './repair.ts';
import { insertedColumns } from './statement.ts';

export function supplement(repairer: Repairer, catalog: Catalog): void {
  for (const schema of repairer.draft.model.schemas) {
    if (serviceSchemas.has(schema.name)) continue;
    addTypes(repairer, schema, catalog);
    addTables(repairer, schema, catalog);
    addViews(repairer, schema, catalog);
    addFunctions(repairer, schema, catalog);
  }
  for (const table of repairer.draft.tables.values()) {
    const keys = catalog.uniqueKeys.get(`${table.schema}.${table.name}`);
    if (keys !== undefined) repairer.addConflictTargets(table, keys);
    addInsertedColumns(repairer, table, catalog);
    decideAccess(repairer, table, catalog);
  }
}

function addTypes(
  { draft, mayHold }: Repairer,
  { name: schema, enums, compositeTypes }: SchemaModel,
  { types }: Catalog,
) {
  for (const one of enums) {
    const key = `${schema}.${one.name}`;
    if (!types.has(key) && mayHold(key) && one.values.length > 0) draft.enums.set(key, one);
  }
  for (const one of compositeTypes) {
    const key = `${schema}.${one.name}`;
    if (!types.has(key) && mayHold(key) && one.columns.length > 0) draft.compositeTypes.set(key, one);
  }
}

function addTables(repairer: Repairer, { name: schema, tables }: SchemaModel, { relations }: Catalog): void {
  const { draft } = repairer;
  for (const model of tables) {
    const key = `${schema}.${model.name}`;
    const there = relations.get(key);
    const known = draft.tables.get(key);
    if (there === undefined && known === undefined && repairer.mayHold(key) && model.columns.length > 0)
      repairer.addTable(schema, model.name);
    if (there === undefined || known === undefined) continue;
    const isLacking = ({ name }: ColumnModel) =>
      !there.includes(name) &&
      !draft.excluded.has(`${key}.${name}`) &&
      !known.columns.some((column) => column.name === name);
    known.columns.push(...model.columns.filter(isLacking));
  }
}

function addViews(
  { draft, mayHold }: Repairer,
  { name: schema, views }: SchemaModel,
  { relations }: Catalog,
): void {
  for (const view of views) {
    const key = `${schema}.${view.name}`;
    if (!relations.has(key) && mayHold(key) && view.columns.length > 0) draft.views.set(key, view);
  }
}

function addFunctions(
  { draft, mayHold }: Repairer,
  { name: schema, functions }: SchemaModel,
  { functions: there }: Catalog,
): void {
  for (const { name, parameters, returns } of functions) {
    const key = `${schema}.${name}`;
    const isKnown = [...draft.functions.values()].some(
      (one) => one.schema === schema && one.name === name && one.isCalled,
    );
    if (there.has(key) || isKnown || !mayHold(key) || isOfExtension(name)) continue;
    const made = parameters.map((column) => ({
      name: column.name,
      type: typeOfValue(draft, column).type,
      optional: column.optional,
    }));
    draft.functions.set(`${key}(${made.map(({ type }) => type).join()})`, {
      schema,
      name,
      parameters: made,
      returns: returnsOf(draft, returns),
      isCalled: false,
    });
  }
}

/**
 * Adds columns into which a function, such as the trigger function that creates a user's profile, inserts values.
 * PostgreSQL doesn't check the function before its first call.
 */
function addInsertedColumns(
  { draft, columnFor }: Repairer,
  table: TableDraft,
  { relations, functionBodies }: Catalog,
): void {
  const key = `${table.schema}.${table.name}`;
  const there = relations.get(key);
  if (there === undefined) return;
  const known = new Set([...there, ...table.columns.map(({ name }) => name)]);
  for (const name of functionBodies.flatMap((body) => insertedColumns(body, table))) {
    if (known.has(name) || draft.excluded.has(`${key}.${name}`)) continue;
    known.add(name);
    table.columns.push(columnFor(table, name));
  }
}

/** The generated types also contain functions that extensions create in `public`. */
const isOfExtension = (name: string): boolean =>
  missingExtension({ code: '42883', message: `function ${name}() does not exist` }) !== undefined ||
  /^_|^(vector|halfvec|sparsevec|hnsw|ivfflat|l1_|l2_|array_to_|avg$|sum$|subvector|cosine_distance|inner_product|binary_quantize|hamming_|jaccard_|gtrgm_|gin_|gbt_|citext|set_limit|show_limit|st_|geometry|geography|box[23]d|postgis|uuid_|armor|dearmor|url(en|de)code_arr|http(_|$)|bytea_to_text|text_to_bytea)/.test(
    name,
  );

/**
 * Adds a policy to a table if possible. All tables have row-level security, so clients can't read a table without a
 * policy. If the migrations don't contain a policy and a column identifies the owner, a policy for the owner is a safe
 * guess. The developer must add any policies that allow more access.
 */
function decideAccess({ draft }: Repairer, table: TableDraft, { relations, withPolicy }: Catalog): void {
  const key = `${table.schema}.${table.name}`;
  draft.ownerPolicies.delete(key);
  draft.withoutPolicy.delete(key);
  if (!relations.has(key) || withPolicy.has(key)) return;
  const owner = ownerColumn(table);
  if (owner === undefined) draft.withoutPolicy.add(key);
  else draft.ownerPolicies.set(key, owner);
}

function ownerColumn({ name, columns }: TableDraft): string | undefined {
  const isOwner = (column: ColumnModel) =>
    ['user_id', 'owner_id'].includes(column.name) ||
    // In a table of user profiles, the primary key is the user's ID.
    (column.name === 'id' && !column.optional && /^(user_)?(profiles?|users?|accounts?)$/.test(name));
  return columns.find(
    (column) => column.type.kind === 'string' && column.type.dimensions === 0 && isOwner(column),
  )?.name;
}
