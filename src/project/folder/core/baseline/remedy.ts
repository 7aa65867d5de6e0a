/** The ways in which a baseline can be repaired after a statement has failed in a rehearsal. */

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
