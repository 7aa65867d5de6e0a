/** The branches of this project, as the Console and the Management API use them. */
import type { BranchRecord } from '../../../operations/branches/index.ts';
import type { OperatorRole } from '../core/roles.ts';

/** The operator on whose behalf a call reaches a branch. */
export interface BranchOperator {
  readonly name: string;
  readonly role: OperatorRole;
}

/** An operator who has opened a branch, with the role in the project. Null if the project no longer has the operator. */
export interface AdmittedOperator {
  readonly name: string;
  readonly role: OperatorRole | null;
}

export interface Branch extends BranchRecord {
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly isRunning: boolean;
  /** When the branch is deleted if it isn't used, in milliseconds since the epoch. Undefined if it is kept. */
  readonly deletedAt: number | undefined;
}

export interface NewBranch {
  readonly name: string;
  readonly gitBranch: string | undefined;
  readonly withData: boolean;
  /** Whether personal data is replaced. Undefined applies the setting. */
  readonly isMasked: boolean | undefined;
  readonly isPersistent: boolean;
  /** Restores this time from the backups, in ISO 8601. */
  readonly fromTime: string | undefined;
}

export type BranchChange = Partial<Pick<NewBranch, 'name' | 'gitBranch' | 'isPersistent'>>;

/** Every method throws BranchError. `id` is a branch's ID or project ref. */
export interface Branches {
  list(): readonly Branch[];
  find(id: string): Branch;
  /** Creates a branch. Resolves when it is ready, or after a while in the state CREATING_PROJECT. */
  create(branch: NewBranch, by: string): Promise<Branch>;
  change(id: string, change: BranchChange): Branch;
  remove(id: string): Promise<void>;
  /**
   * Creates the branch's data again. With a version, only the migrations up to this version are applied, which requires a
   * branch without data.
   */
  reset(id: string, version: string | undefined): Promise<Branch>;
  /** Calls the branch's Management API, and starts the branch if necessary. @throws {ManagementError} */
  manage(id: string, name: string, input: unknown, operator: BranchOperator): Promise<unknown>;
  /** Returns the values that `plinth status` prints for the branch. */
  status(id: string): Promise<Readonly<Record<string, string>>>;
  /** Creates a one-time link to the branch's Console, where the operator has the same role. */
  signInLink(id: string, operator: BranchOperator): Promise<string>;
  /** Applies changed and removed operators of the project to the running branches. Others apply them when they start. */
  operatorsChanged(): Promise<void>;
}
