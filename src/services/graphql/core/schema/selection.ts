/** Defines the form in which a request's selections reach the code that answers them. */

/**
 * One field of a normalized selection set: fragments are expanded, `@skip` and `@include` applied, and equal fields
 * merged.
 */
export interface SelectedField {
  /** The alias, or else the name. The key of the value in the response. */
  readonly key: string;
  readonly name: string;
  /**
   * The field's own selection set, normalized for a type with this name.
   *
   * @throws a GraphqlError, for example for a spread of an unknown fragment.
   */
  readonly selections: (typeName: string) => readonly SelectedField[];
}
