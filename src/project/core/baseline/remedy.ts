/** The ways in which a baseline can be repaired after a statement has failed in a rehearsal. */

export type Remedy =
  /** The database is changed with these statements, and the failed statement runs again. */
  | {
      readonly kind: 'run';
      readonly statements: readonly string[];
      readonly undo?: () => void;
      /**
       * Set if the change applies only to the rehearsal, because an earlier migration creates the table and the
       * baseline therefore can't contain the column.
       */
      readonly isTooLate?: true;
    }
  /** The draft has changed in a way that requires a new rehearsal. */
  | { readonly kind: 'restart' };
