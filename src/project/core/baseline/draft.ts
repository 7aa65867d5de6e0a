/**
 * A baseline in the making: what of the generated types no migration creates. It begins empty; a rehearsal of the
 * migrations adds what they need and takes out what they add themselves (`repair.ts`).
 */
import type {
  ColumnModel,
  EnumModel,
  FunctionModel,
  TableModel,
  TypesModel,
  ViewModel,
} from '../types-file/model.ts';

/** A table of the baseline. */
export interface TableDraft {
  readonly schema: string;
  readonly name: string;
  /** In the order in which they are written. */
  readonly columns: ColumnModel[];
  readonly primaryKey: readonly string[];
  readonly uniques: (readonly string[])[];
  /** Of the types; false where it isn't in them, so that its columns come from the statements that name them. */
  readonly isKnown: boolean;
  /** Dropped or changed by a migration, so that something must be there. */
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
  /** A migration calls it, so it returns nothing instead of refusing. */
  readonly isCalled: boolean;
}

export class Draft {
  readonly model: TypesModel;
  readonly tables = new Map<string, TableDraft>();
  readonly enums = new Map<string, EnumModel>();
  readonly compositeTypes = new Map<string, ViewModel>();
  readonly views = new Map<string, ViewModel>();
  readonly functions = new Map<string, FunctionDraft>();
  /** What tables are called before a migration renames them, by their names in the types. */
  readonly oldNames = new Map<string, string>();
  /** Switched on in the dashboard. */
  readonly extensions = new Set<string>();
  /** Types that a statement has taught, by `schema.table.column`. */
  readonly types = new Map<string, string>();
  /** What the migrations add themselves: `schema.table.column`, `schema.table constraint name`, `schema.enum value`. */
  readonly excluded = new Set<string>();
  /** `public.notes`: has neither policies of its own nor of the migrations, and no column that names its owner. */
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

  /** As the types have it, without what the migrations add. */
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

  /** The table without its schema named: the one in `public`, else in any; by the name that it gets later too. */
  findTable(written: string): TableDraft | undefined {
    const name = this.oldNames.get(written) ?? written;
    return (
      this.tables.get(`public.${name}`) ?? [...this.tables.values()].find((table) => table.name === name)
    );
  }
}

/** Generated types are sorted by name; people write the key first and the times last. */
function inUsualOrder(columns: readonly ColumnModel[]): ColumnModel[] {
  const weight = ({ name }: ColumnModel) =>
    name === 'id' ? 0 : /^(created|updated)_?at$/i.test(name) ? 3 : /_id$/.test(name) ? 1 : 2;
  return [...columns].sort((a, b) => weight(a) - weight(b));
}

/** `id`, else a one-to-one reference, else the references that a join table consists of. */
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
