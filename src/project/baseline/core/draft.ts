/**
 * The draft of a baseline. The draft is empty at first. Each rehearsal of the migrations adds objects that the
 * migrations need and removes objects that they create themselves (`repair.ts`). The final draft contains the objects
 * in the generated types that migrations need but don't create.
 *
 * The ways in which a baseline can be repaired after a statement has failed in a rehearsal.
 */
import type {
  ColumnModel,
  EnumModel,
  FunctionModel,
  TableModel,
  TypesModel,
  ViewModel,
} from '../../types-file/index.ts';

export interface TableDraft {
  readonly schema: string;
  readonly name: string;
  /** The columns in the order in which the baseline lists them. */
  readonly columns: ColumnModel[];
  readonly primaryKey: readonly string[];
  readonly uniques: (readonly string[])[];
  /**
   * Whether the generated types contain the table. If false, the table's columns come from the statements that use
   * them.
   */
  readonly isKnown: boolean;
  /** Policies and constraints that a migration drops or changes, so the baseline must create them. */
  readonly policies: Set<string>;
  readonly constraints: Set<string>;
}

export interface FunctionDraft {
  readonly schema: string;
  readonly name: string;
  readonly parameters: readonly {
    readonly name?: string;
    readonly type: string;
    readonly optional: boolean;
  }[];
  readonly returns: string;
  /**
   * Whether a migration calls the function. If true, the function in the baseline returns null instead of raising an
   * error.
   */
  readonly isCalled: boolean;
}

export class Draft {
  readonly model: TypesModel;
  /** Schemas that a migration uses before any migration creates them. */
  readonly schemas = new Set<string>();
  readonly tables = new Map<string, TableDraft>();
  readonly enums = new Map<string, EnumModel>();
  readonly compositeTypes = new Map<string, ViewModel>();
  /** SQL types that neither the types file nor a migration describes, such as `public.status`. */
  readonly domains = new Set<string>();
  readonly views = new Map<string, ViewModel>();
  readonly functions = new Map<string, FunctionDraft>();
  /** The names that tables have before a migration renames them, by their names in the generated types. */
  readonly oldNames = new Map<string, string>();
  /** Extensions that were enabled in the dashboard. */
  readonly extensions = new Set<string>();
  /** The types that statements require for columns, indexed by `schema.table.column`. */
  readonly types = new Map<string, string>();
  /**
   * Objects that the migrations create, as `schema.table.column`, `schema.table constraint name` or `schema.enum
   * value`.
   */
  readonly excluded = new Set<string>();
  /** Tables that have neither a policy nor an owner column, such as `public.notes`. */
  readonly withoutPolicy = new Set<string>();
  readonly ownerPolicies = new Map<string, string>();

  constructor(model: TypesModel) {
    this.model = model;
  }

  tableModel(schema: string, name: string): TableModel | undefined {
    return this.#schema(schema)?.tables.find((table) => table.name === name);
  }

  viewModel(schema: string, name: string): ViewModel | undefined {
    return this.#schema(schema)?.views.find((view) => view.name === name);
  }

  enumModel(schema: string, name: string): EnumModel | undefined {
    return this.#schema(schema)?.enums.find((one) => one.name === name);
  }

  compositeModel(schema: string, name: string): ViewModel | undefined {
    return this.#schema(schema)?.compositeTypes.find((one) => one.name === name);
  }

  functionModels(schema: string, name: string): readonly FunctionModel[] {
    return this.#schema(schema)?.functions.filter((one) => one.name === name) ?? [];
  }

  #schema(name: string) {
    return this.model.schemas.find((schema) => schema.name === name);
  }

  /** Adds a table from the generated types and returns it. Columns that the migrations add aren't included. */
  addTable(schema: string, name: string, model: TableModel | undefined): TableDraft {
    const key = `${schema}.${name}`;
    const columns = (model?.columns ?? []).filter((column) => !this.excluded.has(`${key}.${column.name}`));
    const table: TableDraft = {
      schema,
      name,
      columns: inUsualOrder(columns),
      primaryKey: primaryKeyOf(model),
      uniques: [],
      isKnown: model !== undefined,
      policies: new Set(),
      constraints: new Set(),
    };
    this.tables.set(key, table);
    return table;
  }

  /** Finds a table by its current or later name, first in the given schema, then in `public`, then in any schema. */
  findTable(written: string, schema = 'public'): TableDraft | undefined {
    const name = this.oldNames.get(written) ?? written;
    return (
      this.tables.get(`${schema}.${name}`) ??
      this.tables.get(`public.${name}`) ??
      [...this.tables.values()].find((table) => table.name === name)
    );
  }
}

/** Sorts columns so that the key comes first and timestamps come last. Generated types list columns by name. */
function inUsualOrder(columns: readonly ColumnModel[]): ColumnModel[] {
  const weight = ({ name }: ColumnModel) =>
    name === 'id' ? 0 : /^(created|updated)_?at$/i.test(name) ? 3 : /_id$/.test(name) ? 1 : 2;
  return [...columns].sort((a, b) => weight(a) - weight(b));
}

/**
 * Returns the columns of the primary key: `id` or, if `id` doesn't exist, a one-to-one reference or the references of a
 * join table.
 */
function primaryKeyOf(model: TableModel | undefined): readonly string[] {
  if (model === undefined) return [];
  if (model.columns.some(({ name }) => name === 'id')) return ['id'];
  const isRequired = (name: string) =>
    model.columns.some((column) => column.name === name && !column.nullable);
  const oneToOne = model.relationships.find(
    ({ isOneToOne, columns }) => isOneToOne && columns.length === 1 && columns.every(isRequired),
  );
  if (oneToOne !== undefined) return oneToOne.columns;
  const references = model.relationships.flatMap(({ columns }) => (columns.length === 1 ? columns : []));
  const required = [...new Set(references)].filter(isRequired);
  return required.length >= 2 ? required : [];
}

export type Remedy =
  /** These statements change the database, and then the failed statement runs again. */
  | {
      readonly kind: 'run';
      readonly statements: readonly string[];
      readonly undo?: () => void;
      /**
       * Set if the change applies only to the rehearsal, because the baseline can't contain a column of a table that an
       * earlier migration creates.
       */
      readonly isTooLate?: true;
    }
  /** The draft has changed in a way that requires a new rehearsal. */
  | { readonly kind: 'restart' };

/** The objects that the database contains after the migrations. Keys have the form `schema.name`. */
export interface Catalog {
  /** The columns of each table and view. */
  readonly relations: ReadonlyMap<string, readonly string[]>;
  /** The names of enums and composite types. */
  readonly types: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** The source code of every function that a migration creates. */
  readonly functionBodies: readonly string[];
  /** The columns of each unique key of a table, sorted and separated by commas. */
  readonly uniqueKeys: ReadonlyMap<string, readonly string[]>;
  /** The tables that have policies other than the baseline's. */
  readonly withPolicy: ReadonlySet<string>;
}

/** The name prefix of the baseline's policies, which distinguishes them from policies in migrations. */
export const policyPrefix = 'Baseline: ';
