/** The names and errors of branches. The errors can be resolved by an operator, and have the Management API's status. */

/** The name of the project itself among its branches. */
export const mainBranch = 'main';

/** The folder of all branches, in the project's data folder. */
export const branchesFolder = 'branches';

const table = {
  unknown: [404, 'Branch not found'],
  name_invalid: [
    400,
    'The name of a branch consists of 1 to 100 letters, digits and the characters ". _ - /", and begins with a letter or digit.',
  ],
  name_reserved: [400, 'This name is reserved for the project itself.'],
  name_taken: [409, 'A branch with this name already exists.'],
  too_many: [409, 'The maximum number of branches exists. Delete a branch, or increase [branches] max.'],
  turned_off: [400, 'Branches are turned off ([branches] max = 0 in plinth.toml).'],
  nested: [400, "A branch can't have branches. Create the branch in the main project."],
  not_here: [501, "This server can't start other servers, so it has no branches."],
  external_database: [
    400,
    'Only the data of the embedded PostgreSQL can be copied. Create the branch without data, which applies the migrations to an empty database.',
  ],
  no_space: [507, 'The disk has too little free space for a copy of the project.'],
  busy: [409, 'Another operation on this branch is running. Try again when it has finished.'],
  not_ready: [409, "The branch isn't ready."],
  all_running: [
    503,
    'The maximum number of branches is running and in use. Try again later, or increase [branches] max_running.',
  ],
  start_failed: [500, "The branch's server didn't start."],
  copy_failed: [500, "The branch couldn't be created."],
  diverged: [409, 'The branch lacks migrations that the project has. Rebase the branch first.'],
  time_needs_data: [400, 'A branch from a backup always contains the data.'],
  version_needs_migrations: [
    400,
    'Only a branch without data can be reset to a migration. Reset the branch without a version.',
  ],
  no_backup: [400, 'No backup target is configured, so a branch from an earlier time is impossible.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type BranchErrorCode = keyof typeof table;

/** An error from the table of branch errors. `detail` is appended to the message. */
export class BranchError extends Error {
  override name = 'BranchError';
  readonly code: BranchErrorCode;
  readonly status: number;
  readonly advice: readonly string[] = [];
  constructor(code: BranchErrorCode, detail?: string, cause?: unknown) {
    const [status, message] = table[code];
    super(detail === undefined ? message : `${message} ${detail}`, { cause });
    this.code = code;
    this.status = status;
  }
}
