/**
 * Reads a model of the database from a file of generated types: schemas with their tables, views, functions, enums and
 * composite types. Supports the output of both of upstream's generators, and handwritten types with the same structure.
 */
import { type Member, readDeclarations, type TypeNode } from './type-expression.ts';

export interface TypesModel {
  readonly schemas: readonly SchemaModel[];
}

export interface SchemaModel {
  readonly name: string;
  readonly tables: readonly TableModel[];
  readonly views: readonly ViewModel[];
  readonly functions: readonly FunctionModel[];
  readonly enums: readonly EnumModel[];
  readonly compositeTypes: readonly ViewModel[];
}

export interface TableModel {
  readonly name: string;
  readonly columns: readonly ColumnModel[];
  readonly relationships: readonly Relationship[];
}

/** A view, or a composite type with its attributes. */
export interface ViewModel {
  readonly name: string;
  readonly columns: readonly ColumnModel[];
}

export interface ColumnModel {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  /** Whether an INSERT can omit the column, because the column is nullable or has a default. */
  readonly optional: boolean;
  /** Whether an INSERT can't contain the column, because it is an identity or generated column. */
  readonly generated: boolean;
}

export interface ValueType {
  readonly kind: 'string' | 'number' | 'boolean' | 'json' | 'enum' | 'composite' | 'unknown';
  /** The schema and name, if the type is an enum or a composite type. */
  readonly name?: { readonly schema: string; readonly name: string };
  /** The number of array dimensions, or 0 for a single value. */
  readonly dimensions: number;
}

export interface Relationship {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isOneToOne: boolean;
  readonly referencedRelation: string;
  readonly referencedColumns: readonly string[];
}

export interface EnumModel {
  readonly name: string;
  readonly values: readonly string[];
}

export interface FunctionModel {
  readonly name: string;
  readonly parameters: readonly ColumnModel[];
  readonly returns: {
    readonly type: ValueType;
    readonly columns?: readonly ColumnModel[];
    readonly isSet: boolean;
  };
}

/**
 * Returns the model. Returns undefined if the file doesn't declare a `Database` with tables.
 *
 * @example readTypes('export type Database = { public: { Tables: {} } }')?.schemas[0]?.name; // 'public'
 */
export function readTypes(text: string): TypesModel | undefined {
  const reader = new Reader(readDeclarations(text));
  return reader.database();
}

type Declarations = ReadonlyMap<string, TypeNode>;

/** The maximum number of type aliases that are followed, because aliases can be circular. */
const maxChainLength = 20;

class Reader {
  readonly #declarations: Declarations;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  database(): TypesModel | undefined {
    const schemas = this.#members(this.#declarations.get('Database')).flatMap(({ name, type }) => {
      const schema = this.#schema(name, type);
      return schema === undefined ? [] : [schema];
    });
    return schemas.length === 0 ? undefined : { schemas };
  }

  #schema(name: string, type: TypeNode): SchemaModel | undefined {
    const parts = new Map(this.#members(type).map((member) => [member.name, member.type]));
    if (!parts.has('Tables')) return undefined;
    const all = (part: string) => this.#members(parts.get(part));
    return {
      name,
      tables: all('Tables').map((table) => this.#table(table)),
      views: all('Views').map((view) => ({ name: view.name, columns: this.#table(view).columns })),
      functions: all('Functions').flatMap((one) => this.#functions(one)),
      enums: all('Enums').map((one) => ({ name: one.name, values: this.#literals(one.type) })),
      compositeTypes: all('CompositeTypes').map((one) => ({
        name: one.name,
        columns: this.#members(one.type).map((member) => this.#column(member)),
      })),
    };
  }

  #table({ name, type }: Member): TableModel {
    const parts = new Map(this.#members(type).map((member) => [member.name, member.type]));
    const insert = parts.has('Insert')
      ? new Map(this.#members(parts.get('Insert')).map((member) => [member.name, member]))
      : undefined;
    const columns = this.#members(parts.get('Row')).map((member) => this.#column(member, insert));
    const relationships = this.#resolved(parts.get('Relationships'));
    const relations = relationships?.kind === 'tuple' ? relationships.of : [];
    return { name, columns, relationships: relations.flatMap((node) => this.#relationship(node)) };
  }

  #column({ name, type, optional }: Member, insert?: ReadonlyMap<string, Member>): ColumnModel {
    const { value, nullable } = this.#value(type);
    const inserted = insert?.get(name);
    return {
      name,
      type: value,
      nullable: nullable || optional,
      optional: insert === undefined ? optional : (inserted?.optional ?? true),
      // The generator writes `never` as the type of such a column. If a handwritten Insert type doesn't contain the
      // column, it is unknown whether an INSERT can contain it.
      generated: inserted !== undefined && isNamed(inserted.type, 'never'),
    };
  }

  #relationship(node: TypeNode): Relationship[] {
    const parts = new Map(this.#members(node).map((member) => [member.name, member.type]));
    const [name] = this.#literals(parts.get('foreignKeyName'));
    const [referencedRelation] = this.#literals(parts.get('referencedRelation'));
    const columns = this.#literals(parts.get('columns'));
    const referencedColumns = this.#literals(parts.get('referencedColumns'));
    if (name === undefined || referencedRelation === undefined || columns.length === 0) return [];
    if (columns.length !== referencedColumns.length) return [];
    const isOneToOne = isNamed(parts.get('isOneToOne') ?? { kind: 'other' }, 'true');
    return [{ name, columns, isOneToOne, referencedRelation, referencedColumns }];
  }

  /** The type of an overloaded function is a union. */
  #functions({ name, type }: Member): FunctionModel[] {
    const resolved = this.#resolved(type);
    const variants = resolved?.kind === 'union' ? resolved.of : [type];
    return variants.flatMap((variant) => {
      const parts = new Map(this.#members(variant).map((member) => [member.name, member.type]));
      const returns = parts.get('Returns');
      if (returns === undefined) return [];
      const parameters = this.#members(parts.get('Args')).map((member) => this.#column(member));
      const { value } = this.#value(returns);
      const of = this.#resolved(returns);
      const isSet = of?.kind === 'array';
      const columns = this.#members(isSet ? of.of : returns).map((member) => this.#column(member));
      const type = columns.length > 0 ? ({ kind: 'unknown', dimensions: 0 } as const) : value;
      return [{ name, parameters, returns: { type, isSet, ...(columns.length > 0 ? { columns } : {}) } }];
    });
  }

  #value(type: TypeNode | undefined): { readonly value: ValueType; readonly nullable: boolean } {
    const node = this.#resolved(type);
    const parts = node?.kind === 'union' ? node.of.map((part) => this.#resolved(part)) : [node];
    const isNull = (part: TypeNode | undefined) =>
      part?.kind === 'name' && (part.name === 'null' || part.name === 'undefined');
    const rest = parts.filter((part) => !isNull(part));
    return { value: this.#singleValue(rest), nullable: rest.length < parts.length };
  }

  #singleValue(parts: readonly (TypeNode | undefined)[]): ValueType {
    const [first] = parts;
    const plain = (kind: ValueType['kind']): ValueType => ({ kind, dimensions: 0 });
    if (parts.length > 1) {
      const kinds = new Set(parts.map((part) => this.#singleValue([part]).kind));
      if (kinds.size === 1) return plain([...kinds][0] as ValueType['kind']);
      return plain('unknown');
    }
    if (first?.kind === 'array') {
      const { value } = this.#value(first.of);
      return { ...value, dimensions: value.dimensions + 1 };
    }
    if (first?.kind === 'literal') return plain('string');
    if (first?.kind === 'object' || first?.kind === 'tuple' || first?.kind === 'intersection')
      return plain('json');
    if (first?.kind === 'indexed') return namedValue(first) ?? plain('unknown');
    if (first?.kind !== 'name') return plain('unknown');
    if (first.name === 'Array') return { ...this.#value(first.parameters[0]).value, dimensions: 1 };
    if (first.name === 'true' || first.name === 'false') return plain('boolean');
    if (first.name === 'bigint') return plain('number');
    if (first.name === 'Date') return plain('string');
    if (first.name === 'Json' || first.name === 'Record' || first.name === 'any') return plain('json');
    if (first.name === 'string' || first.name === 'number' || first.name === 'boolean')
      return plain(first.name);
    return plain('unknown');
  }

  /** Resolves names that the file declares, except `Json`. */
  #resolved(type: TypeNode | undefined): TypeNode | undefined {
    let node = type;
    for (let step = 0; step < maxChainLength; step++) {
      if (node?.kind === 'name' && node.name !== 'Json' && this.#declarations.has(node.name))
        node = this.#declarations.get(node.name);
      else if (node?.kind === 'indexed' && namedValue(node) === undefined) {
        const at = this.#indexed(node);
        if (at === undefined) return node;
        node = at;
      } else return node;
    }
    return undefined;
  }

  #indexed({ of, index }: { readonly of: TypeNode; readonly index: TypeNode }): TypeNode | undefined {
    if (index.kind !== 'literal') return undefined;
    return this.#members(of).find(({ name }) => name === index.value)?.type;
  }

  #members(type: TypeNode | undefined): readonly Member[] {
    return this.#membersOf(type, 0);
  }

  #membersOf(type: TypeNode | undefined, depth: number): readonly Member[] {
    if (depth > maxChainLength) return [];
    const node = this.#resolved(type);
    if (node?.kind === 'object') return node.members;
    if (node?.kind === 'intersection') return node.of.flatMap((part) => this.#membersOf(part, depth + 1));
    if (node?.kind !== 'name') return [];
    const [of, names] = node.parameters;
    const members = () => this.#membersOf(of, depth + 1);
    if (node.name === 'Partial') return members().map((member) => ({ ...member, optional: true }));
    if (node.name === 'Required') return members().map((member) => ({ ...member, optional: false }));
    if (node.name !== 'Omit' && node.name !== 'Pick') return [];
    const listed = new Set(this.#literals(names));
    return members().filter(({ name }) => listed.has(name) === (node.name === 'Pick'));
  }

  /** Returns the strings in the type `"a" | "b"`, `["a", "b"]` or `"a"`. */
  #literals(type: TypeNode | undefined): string[] {
    const node = this.#resolved(type);
    const parts = node?.kind === 'union' || node?.kind === 'tuple' ? node.of : [node];
    return parts.flatMap((part) => (part?.kind === 'literal' ? [part.value] : []));
  }
}

/** Returns the type to which `Database["public"]["Enums"]["role"]` refers. */
function namedValue(node: TypeNode): ValueType | undefined {
  const path: string[] = [];
  let at = node;
  for (; at.kind === 'indexed'; at = at.of) {
    if (at.index.kind !== 'literal') return undefined;
    path.unshift(at.index.value);
  }
  const [schema, part, name] = path;
  if (at.kind !== 'name' || at.name !== 'Database' || path.length !== 3) return undefined;
  if (schema === undefined || name === undefined) return undefined;
  if (part === 'Enums') return { kind: 'enum', name: { schema, name }, dimensions: 0 };
  if (part === 'CompositeTypes') return { kind: 'composite', name: { schema, name }, dimensions: 0 };
  return undefined;
}

const isNamed = (node: TypeNode, name: string): boolean => node.kind === 'name' && node.name === name;
