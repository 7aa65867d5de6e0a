/**
 * What a failed statement of the migrations says about the baseline that ran before them: something is missing in it, it has
 * something that the migrations add themselves, or it guessed a type wrong.
 */
import { missingExtension, serviceSchemas } from '../missing.ts';
import type { ColumnModel } from '../types-file/model.ts';
import type { Draft, FunctionDraft, TableDraft } from './draft.ts';
import { type Failure, type Observation, observe } from './observe.ts';
import {
  bare,
  baselineStatements,
  columnDefinition,
  constraintStub,
  nameOf,
  policyStub,
  typeOf,
  typeOfValue,
} from './print.ts';
import type { Sources } from './sources.ts';
import {
  columnOfValue,
  comparedColumns,
  conflictColumns,
  insertedTable,
  mentions,
  referencedColumnsOf,
} from './statement.ts';

export type Remedy =
  /** The statements change what was made of the draft; the failed statement is run again. */
  | {
      readonly kind: 'run';
      readonly statements: readonly string[];
      readonly undo?: () => void;
      /** For the rehearsal only: an earlier migration creates the table, so the baseline can't hold the column. */
      readonly isTooLate?: true;
    }
  /** The draft has changed in a way that only shows from the start. */
  | { readonly kind: 'restart' };

export class Repairer {
  readonly draft: Draft;
  readonly #sources: Sources;
  /** Statements of the draft that have run in this rehearsal. */
  #done = new Set<string>();
  /** Needed before any migration creates it, so that it stays. */
  readonly #demanded = new Set<string>();
  readonly #excludedObjects = new Set<string>();

  constructor(draft: Draft, sources: Sources) {
    this.draft = draft;
    this.#sources = sources;
  }

  /** At the start of a rehearsal, which runs all of these. */
  begin(): readonly string[] {
    const statements = baselineStatements(this.draft);
    this.#done = new Set(statements);
    return statements;
  }

  /** `public.notes`; false where a migration creates it, as an earlier rehearsal has shown. */
  readonly mayHold = (key: string): boolean => !this.#excludedObjects.has(key);

  /** With the enums and composite types that its columns have. */
  addTable(schema: string, name: string, model = this.draft.tableModel(schema, name)): TableDraft {
    const table = this.draft.addTable(schema, name, model);
    for (const { type } of table.columns)
      if (type.name !== undefined) this.#addType(type.name.schema, type.name.name);
    return table;
  }

  /** Undefined: nothing in the baseline can help. */
  remedy(failure: Failure, statement: string): Remedy | undefined {
    const extension = missingExtension(failure);
    if (extension !== undefined) return this.#extension(extension);
    const seen = observe(failure);
    if (seen === undefined) return undefined;
    const inner = /^SQL statement "([\s\S]+?)"$/m.exec(failure.where ?? '')?.[1];
    return this.#remedy(seen, inner ?? statement, failure.position);
  }

  /** A notice about what is skipped since it exists. */
  remedyNotice(notice: Failure): Remedy | undefined {
    const seen = observe(notice);
    return seen?.kind === 'column exists' ? this.#columnExists(seen) : undefined;
  }

  #remedy(seen: Observation, statement: string, position: number | undefined): Remedy | undefined {
    switch (seen.kind) {
      case 'no relation':
        return this.#noRelation(seen.schema ?? 'public', seen.name);
      case 'no column':
        return this.#noColumn(seen, statement);
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
        return this.#typesDiffer(seen, statement, position);
      case 'keys differ':
        return this.#keysDiffer(seen, statement);
      case 'value of another type':
        return this.#teachInserted(statement, seen.column, seen.type);
      case 'value in the wrong form':
        return this.#valueInWrongForm(seen, statement);
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

  /** Statements of the draft that this rehearsal hasn't run yet. */
  #pending(): Remedy {
    const statements = baselineStatements(this.draft).filter((statement) => !this.#done.has(statement));
    for (const statement of statements) this.#done.add(statement);
    return { kind: 'run', statements };
  }

  /** The table as it is after a statement that changed it. */
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

  #noColumn(
    { table: written, name }: { readonly table?: string; readonly name: string },
    statement: string,
  ): Remedy | undefined {
    const table = written === undefined ? this.#tableLacking(name, statement) : this.draft.findTable(written);
    if (table === undefined) return this.#lateColumn(written, name, statement);
    if (table.columns.some((column) => column.name === name)) return undefined;
    const key = `${table.schema}.${table.name}`;
    const column = this.#columnModel(table, name);
    this.draft.excluded.delete(`${key}.${name}`);
    this.#demanded.add(`${key}.${name}`);
    table.columns.push(column);
    const { sql } = columnDefinition(this.draft, table, column);
    return this.#changed([
      `alter table ${nameOf({ ...table, name: written ?? table.name })} add column ${sql}`,
    ]);
  }

  /** Of the types, under the name that it gets later, else a guess by its name. */
  #columnModel(table: TableDraft, name: string): ColumnModel {
    const names = [
      table.name,
      ...[...this.draft.oldNames].flatMap(([now, old]) => (old === table.name ? [now] : [])),
    ];
    const of = (column: string | undefined) =>
      names
        .flatMap((one) => this.draft.tableModel(table.schema, one)?.columns ?? [])
        .find((one) => one.name === column);
    const renamed =
      of(name) ??
      names.map((one) => of(this.#sources.newColumnName(one, name))).find((one) => one !== undefined);
    if (renamed !== undefined) return { ...renamed, name };
    return {
      name,
      type: { kind: 'string', dimensions: 0 },
      nullable: true,
      optional: true,
      generated: false,
    };
  }

  /** Of the statement's tables the one that should have the column. */
  #tableLacking(name: string, statement: string): TableDraft | undefined {
    const candidates = [...this.draft.tables.values()].filter(
      (table) => mentions(statement, table.name) && !table.columns.some((column) => column.name === name),
    );
    const isInTypes = (table: TableDraft) =>
      this.draft.tableModel(table.schema, table.name)?.columns.some((column) => column.name === name);
    return (
      candidates.find(isInTypes) ??
      candidates.find(({ isKnown }) => !isKnown) ??
      (candidates.length === 1 ? candidates[0] : undefined)
    );
  }

  #lateColumn(written: string | undefined, name: string, statement: string): Remedy | undefined {
    const schemas = this.draft.model.schemas.flatMap((schema) =>
      schema.tables.map((model) => ({ schema: schema.name, model })),
    );
    const found = schemas.find(
      ({ schema, model }) =>
        !this.draft.tables.has(`${schema}.${model.name}`) &&
        (written === undefined ? mentions(statement, model.name) : model.name === written) &&
        model.columns.some((column) => column.name === name),
    );
    if (found === undefined) return undefined;
    const { schema, model } = found;
    const column = model.columns.find((one) => one.name === name) as ColumnModel;
    const { type } = typeOfValue(this.draft, column);
    const statements = [
      `alter table ${nameOf({ schema, name: model.name })} add column ${bare(name)} ${type}`,
    ];
    return { kind: 'run', statements, isTooLate: true };
  }

  #noType(schema: string, name: string): Remedy | undefined {
    const key = `${schema}.${name}`;
    if (this.draft.enums.has(key) || this.draft.compositeTypes.has(key)) return undefined;
    this.#demanded.add(key);
    if (!this.#addType(schema, name, true)) return undefined;
    return this.#pending();
  }

  /** An enum or composite type, unless a migration creates it. */
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
    const made = this.functionFor(schema, name, types, statement);
    if (made === undefined) return undefined;
    this.#demanded.add(`${schema}.${name}`);
    this.draft.functions.set(key, made);
    return this.#pending();
  }

  /** By the head that a later migration gives it, else by the types, else by how it is used. */
  functionFor(
    schema: string,
    name: string,
    types: readonly string[],
    statement: string,
  ): FunctionDraft | undefined {
    const base = { schema, name, isCalled: true };
    const header = this.#sources.functionHeader(name);
    if (header !== undefined) {
      const parameters = header.parameters === '' ? [] : [{ type: header.parameters, optional: false }];
      return { ...base, parameters, returns: header.returns };
    }
    const model = this.draft.functionModels(schema, name).find(({ parameters }) => {
      const required = parameters.filter(({ optional }) => !optional).length;
      return types.length >= required && types.length <= parameters.length;
    });
    if (model !== undefined) {
      const made = parametersFor(this.draft, model.parameters, types);
      return { ...base, parameters: made, returns: returnsOf(this.draft, model.returns) };
    }
    const parameters = types.map((type) => ({ type: type === 'unknown' ? 'text' : type, optional: false }));
    return { ...base, parameters, returns: returnedIn(statement, types.length) };
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

  #typesDiffer(
    { left, right }: { readonly left: string; readonly right: string },
    statement: string,
    position: number | undefined,
  ): Remedy | undefined {
    for (const { name, isLeft } of comparedColumns(statement, position)) {
      const [own, other] = isLeft ? [left, right] : [right, left];
      for (const table of this.draft.tables.values()) {
        if (!mentions(statement, table.name)) continue;
        const column = table.columns.find((one) => one.name === name);
        if (column === undefined || typeOf(this.draft, table, column).type !== own) continue;
        const taught = this.#teach(table, name, other);
        if (taught !== undefined) return taught;
      }
    }
    return undefined;
  }

  #keysDiffer(
    { column, referenced, types: [type, referencedType] }: Extract<Observation, { kind: 'keys differ' }>,
    statement: string,
  ): Remedy | undefined {
    const holds = (table: TableDraft, name: string, own: string) => {
      const found = table.columns.find((one) => one.name === name);
      return (
        found !== undefined &&
        mentions(statement, table.name) &&
        typeOf(this.draft, table, found).type === own
      );
    };
    const tables = [...this.draft.tables.values()];
    const target = tables.find((table) => holds(table, referenced, referencedType));
    const source = tables.find((table) => holds(table, column, type));
    return (
      (target === undefined ? undefined : this.#teach(target, referenced, type)) ??
      (source === undefined ? undefined : this.#teach(source, column, referencedType))
    );
  }

  /** Once only: two statements that need different types can't both be right. */
  #teach(table: TableDraft, column: string, type: string): Remedy | undefined {
    const key = `${table.schema}.${table.name}.${column}`;
    if (this.draft.types.has(key) || ['unknown', 'void', 'record', 'trigger'].includes(type))
      return undefined;
    this.draft.types.set(key, type === 'character varying' ? 'text' : type);
    return { kind: 'restart' };
  }

  #teachInserted(statement: string, column: string, type: string): Remedy | undefined {
    const table = this.draft.findTable(insertedTable(statement) ?? '');
    const isThere = table?.columns.some(({ name }) => name === column) === true;
    return table === undefined || !isThere ? undefined : this.#teach(table, column, type);
  }

  #valueInWrongForm(
    { type, value }: { readonly type: string; readonly value: string },
    statement: string,
  ): Remedy | undefined {
    if (type === 'json') return undefined;
    const column = columnOfValue(statement, value);
    return column === undefined ? undefined : this.#teachInserted(statement, column, 'text');
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
    // The index behind one of our unique constraints.
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

/** What a function that neither types nor migrations describe probably returns: types leave trigger functions out. */
function returnedIn(statement: string, parameterCount: number): string {
  if (/\bpolicy\b/i.test(statement)) return 'boolean';
  const isNamedOnly = /^\s*(alter|drop|grant|revoke|comment)\b/i.test(statement);
  return parameterCount === 0 && (isNamedOnly || /\btrigger\b/i.test(statement)) ? 'trigger' : 'text';
}

/** Generated types list parameters by name, so their order is taken from how the function is called. */
function parametersFor(
  draft: Draft,
  parameters: readonly ColumnModel[],
  types: readonly string[],
): FunctionDraft['parameters'] {
  const left = parameters.map((column) => ({ column, type: typeOfValue(draft, column).type }));
  const bare = (type: string) => type.replace(/^public\./, '');
  const placed: (FunctionDraft['parameters'][number] | undefined)[] = types.map((type) => {
    const at = left.findIndex((one) => bare(one.type) === type);
    if (at < 0) return undefined;
    const [{ column } = { column: undefined }] = left.splice(at, 1);
    return column && { name: column.name, type, optional: column.optional };
  });
  const filled = placed.map((one, index) => {
    const next = one === undefined ? left.shift() : undefined;
    const type = types[index] as string;
    return (
      one ?? {
        name: next?.column.name ?? `p${index + 1}`,
        type: type === 'unknown' ? (next?.type ?? 'text') : type,
        optional: next?.column.optional ?? false,
      }
    );
  });
  return [
    ...filled,
    ...left.map(({ column, type }) => ({ name: column.name, type, optional: column.optional })),
  ];
}

/** Of a function that the migrations leave out altogether. */
export function returnsOf(
  draft: Draft,
  {
    type,
    columns,
    isSet,
  }: {
    readonly type: ColumnModel['type'];
    readonly columns?: readonly ColumnModel[];
    readonly isSet: boolean;
  },
): string {
  if (columns !== undefined) {
    const list = columns.map((column) => `${bare(column.name)} ${typeOfValue(draft, column).type}`);
    return isSet ? `table(${list.join(', ')})` : 'record';
  }
  if (type.kind === 'unknown') return 'void';
  const single = typeOfValue(draft, {
    name: '',
    type: isSet ? { ...type, dimensions: type.dimensions - 1 } : type,
  }).type;
  return isSet ? `setof ${single}` : single;
}
