/**
 * Repairs the baseline after a statement in a migration has failed. The baseline may lack an object, contain an object
 * that the migrations create, or have a wrong type.
 */
import {
  type Failure,
  mentions,
  missingExtension,
  type Observation,
  observe,
  serviceSchemas,
} from '../../folder/index.ts';
import type { ColumnModel } from '../../types-file/index.ts';
import { alignKeys } from './align-keys.ts';
import {
  columnModel,
  type LateTable,
  lateColumn,
  lateTable,
  type MissingColumn,
  tableLacking,
} from './columns.ts';
import type { Draft, Remedy, TableDraft } from './draft.ts';
import { functionFor } from './functions.ts';
import {
  bare,
  baselineStatements,
  columnDefinition,
  constraintStub,
  nameOf,
  policyStub,
  uniqueName,
} from './print.ts';
import { type Sources, valuesBefore } from './sources.ts';
import {
  conflictColumns,
  failedQuery,
  insertedTable,
  referencedColumnsOf,
  writtenSchema,
} from './statement.ts';
import {
  argumentsDiffer,
  assignedValueDiffers,
  conditionDiffers,
  isBuiltIn,
  operatorLacking,
} from './uses.ts';
import { keysDiffer, resultDiffers, teachInserted, typesDiffer, valueInWrongForm } from './wrong-types.ts';

interface NamedColumn {
  readonly table: string;
  readonly name: string;
}

/** Returns text that identifies a unique key, regardless of its column order. */
export const keyOfColumns = (columns: readonly string[]): string => [...columns].sort().join();

export class Repairer {
  readonly draft: Draft;
  readonly #sources: Sources;
  /** The draft's statements that have already run in this rehearsal. */
  #done = new Set<string>();
  /** Objects that a migration uses before any migration creates them. The baseline must contain them. */
  readonly #demanded = new Set<string>();
  readonly #excludedObjects = new Set<string>();

  constructor(draft: Draft, sources: Sources) {
    this.draft = draft;
    this.#sources = sources;
  }

  /** Returns the statements with which a new rehearsal begins. */
  begin(): readonly string[] {
    alignKeys(this.draft);
    const statements = baselineStatements(this.draft);
    this.#done = new Set(statements);
    return statements;
  }

  /**
   * Whether the baseline can contain this object, such as `public.notes`. False if an earlier rehearsal has shown that
   * a migration creates the object.
   */
  readonly mayHold = (key: string): boolean => !this.#excludedObjects.has(key);

  /** Returns the table's column with this name from the generated types, or a guess. */
  readonly columnFor = (table: TableDraft, name: string): ColumnModel =>
    columnModel(this.draft, this.#sources, table, name);

  /** Adds a table, together with the enums and composite types of its columns. */
  addTable(schema: string, name: string, model = this.draft.tableModel(schema, name)): TableDraft {
    const table = this.draft.addTable(schema, name, model);
    for (const { type } of table.columns)
      if (type.name !== undefined) this.#addType(type.name.schema, type.name.name);
    return table;
  }

  /** Returns the repair for a failed statement. Returns undefined if changing the baseline doesn't help. */
  remedy(failure: Failure, statement: string): Remedy | undefined {
    const extension = missingExtension(failure);
    if (extension !== undefined) return this.#extension(extension);
    const seen = observe(failure);
    if (seen === undefined) return undefined;
    const { query, position } = failedQuery(failure, statement);
    return this.#remedy(seen, query, position);
  }

  /** Handles the notice that a column is skipped because it already exists. */
  remedyNotice(notice: Failure): Remedy | undefined {
    const seen = observe(notice);
    return seen?.kind === 'column exists' ? this.#columnExists(seen, '') : undefined;
  }

  #remedy(seen: Observation, statement: string, position: number | undefined): Remedy | undefined {
    switch (seen.kind) {
      case 'no relation':
        return this.#noRelation(seen.schema ?? 'public', seen.name);
      case 'no column':
        return this.#noColumn({ ...seen, position }, statement);
      case 'no type':
        return this.#noType(seen.schema ?? 'public', seen.name, statement);
      case 'no function':
        return this.#noFunction(seen, statement);
      case 'no schema':
        return this.#noSchema(seen.name);
      case 'no policy':
        return this.#stub(this.#table(seen.table, statement), (table) => {
          table.policies.add(seen.name);
          return policyStub(table, seen.name);
        });
      case 'no constraint':
        return this.#stub(this.#table(seen.table, statement), (table) => {
          table.constraints.add(seen.name);
          return constraintStub(table, seen.name);
        });
      case 'no unique key':
        return this.#noUniqueKey(
          this.#table(seen.table, statement),
          referencedColumnsOf(statement, seen.table) ?? ['id'],
        );
      case 'no conflict target': {
        const columns = conflictColumns(statement);
        const table = insertedTable(statement);
        return columns === undefined || table === undefined
          ? undefined
          : this.#noUniqueKey(this.#table(table, statement), columns);
      }
      case 'types differ':
        return typesDiffer(this.draft, seen, statement, position);
      case 'no operator':
        return operatorLacking(this.draft, seen, statement, position);
      case 'condition of another type':
        return conditionDiffers(this.draft, seen, statement, position);
      case 'keys differ':
        return keysDiffer(this.draft, seen, statement) ?? this.#ownKeyDiffers(seen.constraint, statement);
      case 'result differs':
        return resultDiffers(this.draft, seen, statement);
      case 'value of another type':
        return (
          assignedValueDiffers(this.draft, seen, statement, position) ??
          teachInserted(this.draft, statement, seen.column, seen.type)
        );
      case 'value in the wrong format':
        return valueInWrongForm(this.draft, seen, statement);
      case 'no value':
        return this.#noValue(seen, statement);
      case 'column exists':
        return this.#columnExists(seen, statement);
      case 'relation exists':
        return this.#relationExists(seen.name, statement);
      case 'type exists':
        return this.#exclude(
          `public.${seen.name}`,
          (key) => this.draft.enums.delete(key) || this.draft.compositeTypes.delete(key),
        );
      case 'function exists':
        return this.#functionExists(statement);
      case 'constraint exists':
        return this.#constraintExists(this.#table(seen.table, statement), seen.name);
      case 'not unique':
        return this.#notUnique(seen.constraint);
      case 'value exists':
        return this.#valueExists(seen.name, statement);
    }
  }

  /**
   * Returns the table that a message refers to. PostgreSQL's messages don't contain the schema, so the schema is taken
   * from the statement.
   */
  #table(name: string, statement: string): TableDraft | undefined {
    return this.draft.findTable(name, writtenSchema(statement, name));
  }

  /** Returns the statements of the draft that haven't run in this rehearsal. */
  #pending(): Remedy {
    const statements = baselineStatements(this.draft).filter((statement) => !this.#done.has(statement));
    for (const statement of statements) this.#done.add(statement);
    return { kind: 'run', statements };
  }

  /** Returns the statements that change the database to the state of the changed draft. */
  #changed(statements: readonly string[], undo?: () => void): Remedy {
    for (const statement of baselineStatements(this.draft)) this.#done.add(statement);
    return { kind: 'run', statements, ...(undo === undefined ? {} : { undo }) };
  }

  #extension(name: string): Remedy | undefined {
    if (this.draft.extensions.has(name)) return undefined;
    this.draft.extensions.add(name);
    return this.#pending();
  }

  #noSchema(name: string): Remedy | undefined {
    if (serviceSchemas.has(name) || this.draft.schemas.has(name)) return undefined;
    this.draft.schemas.add(name);
    return this.#pending();
  }

  /** Omits one of the baseline's foreign keys if statements need different types for its columns. */
  #ownKeyDiffers(constraint: string, statement: string): Remedy | undefined {
    const table = [...this.draft.tables.values()].find((one) =>
      statement.startsWith(`alter table ${nameOf(one)} add constraint `),
    );
    return this.#constraintExists(table, constraint);
  }

  #noRelation(schema: string, name: string): Remedy | undefined {
    const key = `${schema}.${name}`;
    const { draft } = this;
    if (serviceSchemas.has(schema) || draft.tables.has(key) || draft.views.has(key)) return undefined;
    const view = draft.viewModel(schema, name);
    const model = draft.tableModel(schema, name);
    this.#demanded.add(key);
    if (model === undefined && view !== undefined) {
      draft.views.set(key, view);
      return this.#pending();
    }
    if (model === undefined && /_(seq|idx|key|pkey|fkey)$/.test(name)) return undefined;
    const renamed = model === undefined ? this.#sources.newTableName(name) : undefined;
    if (renamed !== undefined) draft.oldNames.set(renamed, name);
    this.addTable(
      schema,
      name,
      model ?? (renamed === undefined ? undefined : draft.tableModel(schema, renamed)),
    );
    return this.#pending();
  }

  #noColumn(missing: MissingColumn & { readonly table?: string }, statement: string): Remedy | undefined {
    const { table: written, name } = missing;
    const table =
      written === undefined ? tableLacking(this.draft, missing, statement) : this.#table(written, statement);
    if (table === undefined) return this.#lateColumn(lateTable(this.draft, written, name, statement), name);
    if (table.columns.some((column) => column.name === name)) return undefined;
    const key = `${table.schema}.${table.name}`;
    const column = this.columnFor(table, name);
    this.draft.excluded.delete(`${key}.${name}`);
    this.#demanded.add(`${key}.${name}`);
    table.columns.push(column);
    const { sql } = columnDefinition(this.draft, table, column);
    return this.#changed([
      `alter table ${nameOf({ ...table, name: written ?? table.name })} add column ${sql}`,
    ]);
  }

  /**
   * Handles a table that existed before the migrations. Migrations create this table only if it is missing, and the
   * table has columns that no migration adds.
   */
  #lateColumn(found: LateTable | undefined, name: string): Remedy | undefined {
    if (found === undefined) return undefined;
    const { schema, model } = found;
    const key = `${schema}.${model.name}`;
    if (!this.mayHold(key) || !this.#sources.createsIfMissing(schema, model.name))
      return lateColumn(this.draft, found, name);
    this.#demanded.add(key);
    this.addTable(schema, model.name);
    return { kind: 'restart' };
  }

  #noType(schema: string, name: string, statement: string): Remedy | undefined {
    const key = `${schema}.${name}`;
    const { enums, compositeTypes, domains } = this.draft;
    if (serviceSchemas.has(schema) || enums.has(key) || compositeTypes.has(key) || domains.has(key))
      return undefined;
    // Each table and view has a row type with the same name.
    if (this.draft.tableModel(schema, name) ?? this.draft.viewModel(schema, name))
      return this.#noRelation(schema, name);
    if (!this.#addType(schema, name, true) && !this.#addUndescribedType(schema, name, statement))
      return undefined;
    this.#demanded.add(key);
    return this.#pending();
  }

  /**
   * Adds a type that the types file doesn't contain. A type that isn't described anywhere is probably a mistake, so it
   * isn't added.
   */
  #addUndescribedType(schema: string, name: string, statement: string): boolean {
    const { enums, domains, functions } = this.draft;
    const key = `${schema}.${name}`;
    const values = this.#sources.enumValues(name) ?? valuesBefore(statement);
    const isRowType = values === undefined && this.#sources.creates('type', schema, name);
    const isDescribed =
      this.#sources.changesType(name) ||
      [...functions.values()].some(({ parameters, returns }) =>
        [...parameters.map(({ type }) => type), returns].some((type) => mentions(type, name)),
      );
    if (values !== undefined) enums.set(key, { name, values });
    else if (isDescribed && !isRowType) domains.add(key);
    return enums.has(key) || domains.has(key);
  }

  /** Adds an enum or composite type, unless a migration creates it. */
  #addType(schema: string, name: string, isDemanded = false): boolean {
    const key = `${schema}.${name}`;
    if (!isDemanded && (!this.mayHold(key) || this.#sources.creates('type', schema, name))) return false;
    const model = this.draft.enumModel(schema, name);
    const composite = this.draft.compositeModel(schema, name);
    if (model !== undefined && model.values.length > 0) this.draft.enums.set(key, model);
    else if (composite !== undefined) this.draft.compositeTypes.set(key, composite);
    else return false;
    return true;
  }

  #noFunction(
    { schema = 'public', name, types }: Extract<Observation, { kind: 'no function' }>,
    statement: string,
  ): Remedy | undefined {
    const key = `${schema}.${name}(${types.join()})`;
    if (serviceSchemas.has(schema) || this.draft.functions.has(key)) return undefined;
    const learned = argumentsDiffer(this.draft, this.#sources, { name, types }, statement);
    if (learned !== undefined || schema === 'pg_catalog' || isBuiltIn(name)) return learned;
    const made = functionFor(this.draft, this.#sources, { schema, name, types }, statement);
    this.#demanded.add(`${schema}.${name}`);
    this.draft.functions.set(key, made);
    return this.#pending();
  }

  #stub(table: TableDraft | undefined, add: (table: TableDraft) => string): Remedy | undefined {
    return table === undefined ? undefined : this.#changed([add(table)]);
  }

  #noUniqueKey(table: TableDraft | undefined, columns: readonly string[]): Remedy | undefined {
    if (table === undefined || table.uniques.some((known) => known.join() === columns.join()))
      return undefined;
    table.uniques.push(columns);
    return this.#pending();
  }

  /** Removes a guessed constraint that rows in a migration violate. */
  #notUnique(constraint: string): Remedy | undefined {
    const table = [...this.draft.tables.values()].find(({ name, uniques }) =>
      uniques.some((columns) => uniqueName(name, columns) === constraint),
    );
    return table === undefined ? undefined : this.#constraintExists(table, constraint);
  }

  /**
   * Adds the unique constraints that ON CONFLICT clauses in the migrations need. `there` contains the table's existing
   * unique keys.
   */
  addConflictTargets(table: TableDraft, there: readonly string[]): void {
    const known = new Set([...there, ...table.uniques.map(keyOfColumns)]);
    for (const columns of this.#sources.conflictTargets(table.name)) {
      const key = keyOfColumns(columns);
      const has = (name: string) => table.columns.some((column) => column.name === name);
      if (columns.length === 0 || known.has(key) || !columns.every(has)) continue;
      table.uniques.push(columns);
      known.add(key);
    }
  }

  #noValue({ table: written, name }: NamedColumn, statement: string): Remedy | undefined {
    const table = this.#table(written, statement);
    const at = table?.columns.findIndex((column) => column.name === name && !column.nullable) ?? -1;
    if (table === undefined || at < 0) return undefined;
    table.columns[at] = { ...(table.columns[at] as ColumnModel), nullable: true };
    return this.#changed([
      `alter table ${nameOf({ ...table, name: written })} alter column ${bare(name)} drop not null`,
    ]);
  }

  #columnExists({ table: written, name }: NamedColumn, statement: string): Remedy | undefined {
    const table = this.#table(written, statement);
    const at = table?.columns.findIndex((column) => column.name === name) ?? -1;
    if (table === undefined || at < 0) return undefined;
    const key = `${table.schema}.${table.name}.${name}`;
    if (this.#demanded.has(key)) return undefined;
    const [column] = table.columns.splice(at, 1) as [ColumnModel];
    this.draft.excluded.add(key);
    const undo = () => {
      table.columns.splice(at, 0, column);
      this.draft.excluded.delete(key);
      this.#demanded.add(key);
    };
    return this.#changed(
      [`alter table ${nameOf({ ...table, name: written })} drop column ${bare(name)}`],
      undo,
    );
  }

  #relationExists(written: string, statement: string): Remedy | undefined {
    const name =
      written === '' ? (/\bview\s+(?:"?\w+"?\s*\.\s*)?"?(\w+)"?/i.exec(statement)?.[1] ?? '') : written;
    const { draft } = this;
    for (const key of [...draft.tables.keys(), ...draft.views.keys()])
      if (key.slice(key.indexOf('.') + 1) === name)
        return this.#exclude(key, () => draft.tables.delete(key) || draft.views.delete(key));
    // The name may be the name of a unique constraint's index in the baseline.
    const owner = [...draft.tables.values()].find(
      (table) => name.startsWith(`${table.name}_`) && name.endsWith('_key'),
    );
    return owner === undefined ? undefined : this.#constraintExists(owner, name);
  }

  #exclude(key: string, remove: (key: string) => boolean): Remedy | undefined {
    if (this.#demanded.has(key) || !remove(key)) return undefined;
    this.#excludedObjects.add(key);
    return { kind: 'restart' };
  }

  #functionExists(statement: string): Remedy | undefined {
    const name = /\bfunction\s+(?:"?\w+"?\s*\.\s*)?"?(\w+)"?\s*\(/i.exec(statement)?.[1];
    const keys = [...this.draft.functions].flatMap(([key, one]) => (one.name === name ? [key] : []));
    if (name === undefined || keys.length === 0) return undefined;
    return this.#exclude(`public.${name}`, () =>
      keys.map((key) => this.draft.functions.delete(key)).some(Boolean),
    );
  }

  #constraintExists(table: TableDraft | undefined, name: string): Remedy | undefined {
    if (table === undefined) return undefined;
    const key = `${table.schema}.${table.name} constraint ${name}`;
    if (this.draft.excluded.has(key)) return undefined;
    this.draft.excluded.add(key);
    return { kind: 'restart' };
  }

  #valueExists(value: string, statement: string): Remedy | undefined {
    const keys = [...this.draft.enums.keys()].filter((key) =>
      mentions(statement, key.slice(key.indexOf('.') + 1)),
    );
    const [key] = keys;
    if (key === undefined || this.draft.excluded.has(`${key} value ${value}`)) return undefined;
    this.draft.excluded.add(`${key} value ${value}`);
    return { kind: 'restart' };
  }
}
