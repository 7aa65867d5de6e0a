/** Types for the handlers of the Management API's operations. */
import type { Actor } from '../audit.ts';
import type { OperatorRole, Permission } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { InputOf, ManagementCallName } from './inputs.ts';

export interface Caller {
  readonly operator: Actor & { readonly role: OperatorRole };
  readonly request?: { readonly id: string };
  /** The access token's name. */
  readonly token?: string;
  /** The name of the client that the operator has connected with OAuth. */
  readonly client?: string;
  /** Aborted when the client disconnects. */
  readonly gone?: AbortSignal;
}

export type Handlers = {
  readonly [Name in ManagementCallName]: readonly [
    requires: Permission,
    run: (input: InputOf<Name>, caller: Caller) => unknown,
  ];
};

/** Returns the details about the access token or the OAuth client that are recorded in the audit log. */
export const detailOf = ({ token, client }: Caller): object => ({
  ...(token === undefined ? {} : { token }),
  ...(client === undefined ? {} : { client }),
});

/** The Management API's errors. Upstream sends errors as `{message}`. */
export class ManagementError extends Error {
  override name = 'ManagementError';
  readonly status: number;
  /** The value of the `retry-after` header. */
  readonly waitSeconds: number | undefined;
  constructor(
    status: number,
    message: string,
    options: ErrorOptions & { readonly waitSeconds?: number } = {},
  ) {
    super(message, options);
    this.status = status;
    this.waitSeconds = options.waitSeconds;
  }
}

/** Converts an error of the Console to an error of the Management API. Returns all other errors unchanged. */
export function asManagementError(error: unknown): unknown {
  if (!(error instanceof ConsoleError)) return error;
  const { hint } = error.fields;
  const message = hint === undefined ? error.message : `${error.message} ${hint}`;
  return new ManagementError(error.status, message, { cause: error });
}
