/** The type of a column, a domain or an attribute. */
export interface TypeRef {
  /** The schema. Undefined for the types in `core/type-names.ts`. */
  readonly schema?: string | undefined;
  readonly name: string;
  /** For example, 10 and 2 in `numeric(10, 2)`. */
  readonly modifiers?: readonly number[] | undefined;
  readonly array?: boolean | undefined;
}
