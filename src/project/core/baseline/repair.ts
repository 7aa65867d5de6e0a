/**
 * Repairs the baseline after a migration's statement has failed: the baseline lacks an object, contains one that the
 * migrations create, or has a wrong type.
 */
import { missingExtension, serviceSchemas } from '../missing.ts';
import type { ColumnModel } from '../types-file/model.ts';
import { columnModel, lateColumn, type MissingColumn, tableLacking } from './columns.ts';
import type { Draft, TableDraft } from './draft.ts';
import { functionFor } from './functions.ts';
import { type Failure, type Observation, observe } from './observe.ts';
import { bare, baselineStatements, columnDefinition, constraintStub, nameOf, policyStub } from './print.ts';
import type { Remedy } from './remedy.ts';
import type { Sources } from './sources.ts';
import { conflictColumns, insertedTable, mentions, referencedColumnsOf } from './statement.ts';
import { keysDiffer, resultDiffers, teachInserted, typesDiffer, valueInWrongForm } from './wrong-types.ts';

export class Repairer {
  readonly draft: Draft;
  readonly #sources: Sources;
  /** The statements of the draft that have run in this rehearsal. */
  #done = new Set<string>();
  /** Objects that a migration needs before any migration creates them, so they can't be excluded. */
  readonly #demanded = new Set<string>();
  readonly #excludedObjects = new Set<string>();

  constructor(draft: Draft, sources: Sources) {
    this.draft = draft;
    this.#sources = sources;
  }

  /** Returns the statements that a new rehearsal begins with. */
  begin(): readonly string[] {
    const statements = baselineStatements(this.draft);
    this.#done = new Set(statements);
    return statements;
  }

  /** Whether the baseline may contain the object, such as `public.notes`. An earlier rehearsal shows which objects migrations create. */
  readonly mayHold = (key: string): boolean => !this.#excludedObjects.has(key);

  /** Adds the table with the enums and composite types of its columns. */
  addTable(schema: string, name: string, model = this.draft.tableModel(schema, name)): TableDraft {
    const table = this.draft.addTable(schema, name, model);
    for (const { type } of table.columns)
      if (type.name !== undefined) this.#addType(type.name.schema, type.name.name);
    return table;
  }

  /** Returns undefined if no change to the baseline can help. */
  remedy(failure: Failure, statement: string): Remedy | undefined {
    const extension = missingExtension(failure);
    if (extension !== undefined) return this.#extension(extension);
    const seen = observe(failure);
    if (seen === undefined) return undefined;
    const inner = /^SQL statement "([\s\S]+?)"$/m.exec(failure.where ?? '')?.[1];
    // The position counts from the start of the outer statement.
    return this.#remedy(seen, inner ?? statement, inner === undefined ? failure.position : undefined);
  }

  /** Handles the notice that an existing column is skipped. */
  remedyNotice(notice: Failure): Remedy | undefined {
    const seen = observe(notice);
    return seen?.kind === 'column exists' ? this.#columnExists(seen) : undefined;
  }

  #remedy(seen: Observation, statement: string, position: number | undefined): Remedy | undefined {
    switch (seen.kind) {
      case 'no relation':
        return this.#noRelation(seen.schema ?? 'public', seen.name);
      case 'no column':
        return this.#noColumn({ ...seen, position }, statement);
      case 'no type':
        return this.#noType(seen.schema ?? 'public', seen.name);
      case 'no function':
        return this.#noFunction(seen, statement);
      case 'no schema':
        return undefined;
      case 'no policy':
        return this.#stub(seen.table, (table) => {
          table.policies.add(seen.name);
          return policyStub(table, seen.name);
        });
      case 'no constraint':
        return this.#stub(seen.table, (table) => {
          table.constraints.add(seen.name);
          return constraintStub(table, seen.name);
        });
      case 'no unique key':
        return this.#noUniqueKey(seen.table, referencedColumnsOf(statement, seen.table) ?? ['id']);
      case 'no conflict target': {
        const columns = conflictColumns(statement);
        const table = insertedTable(statement);
        return columns === undefined || table === undefined ? undefined : this.#noUniqueKey(table, columns);
      }
      case 'types differ':
        return typesDiffer(this.draft, seen, statement, position);
      case 'keys differ':
        return keysDiffer(this.draft, seen, statement);
      case 'result differs':
        return resultDiffers(this.draft, seen, statement);
      case 'value of another type':
        return teachInserted(this.draft, statement, seen.column, seen.type);
      case 'value in the wrong form':
        return valueInWrongForm(this.draft, seen, statement);
      case 'no value':
        return this.#noValue(seen);
      case 'column exists':
        return this.#columnExists(seen);
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
        return this.#constraintExists(seen.table, seen.name);
      case 'value exists':
        return this.#valueExists(seen.name, statement);
    }
  }

  /** Runs the statements of the draft that this rehearsal hasn't run yet. */
  #pending(): Remedy {
    const statements = baselineStatements(this.draft).filter((statement) => !this.#done.has(statement));
    for (const statement of statements) this.#done.add(statement);
    return { kind: 'run', statements };
  }

  /** Runs statements that bring the database to the state of the changed draft. */
  #changed(statements: readonly string[], undo?: () => void): Remedy {
    for (const statement of baselineStatements(this.draft)) this.#done.add(statement);
    return { kind: 'run', statements, ...(undo === undefined ? {} : { undo }) };
  }

  #extension(name: string): Remedy | undefined {
    if (this.draft.extensions.has(name)) return undefined;
    this.draft.extensions.add(name);
    return this.#pending();
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
      written === undefined ? tableLacking(this.draft, missing, statement) : this.draft.findTable(written);
    if (table === undefined) return lateColumn(this.draft, written, name, statement);
    if (table.columns.some((column) => column.name === name)) return undefined;
    const key = `${table.schema}.${table.name}`;
    const column = columnModel(this.draft, this.#sources, table, name);
    this.draft.excluded.delete(`${key}.${name}`);
    this.#demanded.add(`${key}.${name}`);
    table.columns.push(column);
    const { sql } = columnDefinition(this.draft, table, column);
    return this.#changed([
      `alter table ${nameOf({ ...table, name: written ?? table.name })} add column ${sql}`,
    ]);
  }

  #noType(schema: string, name: string): Remedy | undefined {
    const key = `${schema}.${name}`;
    if (this.draft.enums.has(key) || this.draft.compositeTypes.has(key)) return undefined;
    this.#demanded.add(key);
    if (!this.#addType(schema, name, true)) return undefined;
    return this.#pending();
  }

  /** Adds an enum or composite type unless a migration creates it. */
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
    const made = functionFor(this.draft, this.#sources, { schema, name, types }, statement);
    this.#demanded.add(`${schema}.${name}`);
    this.draft.functions.set(key, made);
    return this.#pending();
  }

  #stub(tableName: string, add: (table: TableDraft) => string): Remedy | undefined {
    const table = this.draft.findTable(tableName);
    return table === undefined ? undefined : this.#changed([add(table)]);
  }

  #noUniqueKey(tableName: string, columns: readonly string[]): Remedy | undefined {
    const table = this.draft.findTable(tableName);
    if (table === undefined || table.uniques.some((known) => known.join() === columns.join()))
      return undefined;
    table.uniques.push(columns);
    return this.#pending();
  }

  #noValue({ table: written, name }: { readonly table: string; readonly name: string }): Remedy | undefined {
    const table = this.draft.findTable(written);
    const at = table?.columns.findIndex((column) => column.name === name && !column.nullable) ?? -1;
    if (table === undefined || at < 0) return undefined;
    table.columns[at] = { ...(table.columns[at] as ColumnModel), nullable: true };
    return this.#changed([
      `alter table ${nameOf({ ...table, name: written })} alter column ${bare(name)} drop not null`,
    ]);
  }

  #columnExists({
    table: written,
    name,
  }: {
    readonly table: string;
    readonly name: string;
  }): Remedy | undefined {
    const table = this.draft.findTable(written);
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
    // The name may belong to the index of a unique constraint in the baseline.
    const owner = [...draft.tables.values()].find(
      (table) => name.startsWith(`${table.name}_`) && name.endsWith('_key'),
    );
    return owner === undefined ? undefined : this.#constraintExists(owner.name, name);
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

  #constraintExists(tableName: string, name: string): Remedy | undefined {
    const table = this.draft.findTable(tableName);
    const key = `${table?.schema}.${tableName} constraint ${name}`;
    if (table === undefined || this.draft.excluded.has(key)) return undefined;
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
