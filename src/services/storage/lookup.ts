/**
 * Defines lookups, which read one row by its key. Lookups share the connections that the REST service uses for fast
 * reads, so a lookup needs no BEGIN and COMMIT, and several lookups are sent in one write. Lookups run as the service
 * role, so they never run a user's code.
 */
import type { ShapeSpeed } from '../../platform/database/types.ts';

export interface Lookup {
  /** The statement's name. Lookups with the same key must have the same text. */
  readonly key: string;
  /** The statement, whose parameters are text. */
  readonly text: string;
}

/** A row's values in PostgreSQL's text format. */
export type Cells = readonly (Buffer | null)[];

/** Moves lookups to separate connections while they have to wait, for example for a lock on the table. */
export class LookupSpeed implements ShapeSpeed {
  isBlocking = false;

  get isBrief(): boolean {
    return !this.isBlocking;
  }

  record(): void {
    this.isBlocking = false;
  }

  recordBlocking(): void {
    this.isBlocking = true;
  }
}
