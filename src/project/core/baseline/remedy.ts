/** The repairs of a baseline after a statement has failed in the rehearsal. */

export type Remedy =
  /** The statements change the database as the draft has changed. The failed statement is run again. */
  | {
      readonly kind: 'run';
      readonly statements: readonly string[];
      readonly undo?: () => void;
      /** For the rehearsal only. An earlier migration creates the table, so the baseline can't contain the column. */
      readonly isTooLate?: true;
    }
  /** The draft has changed in a way that takes effect only in a new rehearsal. */
  | { readonly kind: 'restart' };
