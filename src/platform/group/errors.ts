/** The errors of the state that nodes share. */

export type GroupErrorCode = 'unavailable' | 'busy';

const messages: Readonly<Record<GroupErrorCode, string>> = {
  unavailable: "The change wasn't made because the database is unreachable. Try again later.",
  busy: "The change wasn't made because another node or a command is making a change. Try again.",
};

/** Thrown if a change can't be stored for all nodes. The node's files are unchanged. */
export class GroupError extends Error {
  override readonly name = 'GroupError';
  readonly code: GroupErrorCode;
  /** The HTTP status for this error. */
  readonly status: 503 | 409;
  constructor(code: GroupErrorCode, cause?: unknown) {
    super(messages[code], { cause });
    this.code = code;
    this.status = code === 'busy' ? 409 : 503;
  }
}

/** Converts an error of the database. Returns other errors unchanged. */
export function asGroupError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // 55P03 is lock_not_available.
  if ((error as { code?: unknown }).code === '55P03') return new GroupError('busy', error);
  return 'severity' in error || error.name.startsWith('Pool') ? new GroupError('unavailable', error) : error;
}

/** Thrown at startup if this node can't join the group. The message describes how to fix the problem. */
export class GroupJoinError extends Error {
  override readonly name = 'GroupJoinError';
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
