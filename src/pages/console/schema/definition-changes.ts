/** Types for changes of functions, views and triggers, whose definitions operators edit as text. */
interface Named {
  readonly schema: string;
  readonly name: string;
}

/** The objects that have a definition as text, which the operator edits. */
export type DefinedObject = 'routine' | 'view' | 'trigger';

export type DefinitionChange =
  /**
   * `text` contains statements that create the object or create it again. `core/definition.ts` checks that they do
   * nothing else.
   */
  | { readonly kind: 'define'; readonly object: DefinedObject; readonly text: string }
  | (Named & {
      readonly kind: 'drop_routine';
      readonly routine: 'function' | 'procedure' | 'aggregate';
      /** The types that identify the routine, with their names in `pg_type`. */
      readonly types: readonly { readonly schema: string; readonly name: string }[];
      readonly cascade: boolean;
    })
  | (Named & {
      readonly kind: 'drop_view';
      readonly isMaterialized: boolean;
      readonly cascade: boolean;
    });

export const isDefinitionChange = (change: { readonly kind: string }): change is DefinitionChange =>
  change.kind === 'define' || change.kind === 'drop_routine' || change.kind === 'drop_view';
