/** Types for the handlers of the Management API's operations. */
import type { Actor } from '../audit.ts';
import type { OperatorRole, Permission } from '../core/roles.ts';
import type { InputOf, ManagementCallName } from './inputs.ts';

export interface Caller {
  readonly operator: Actor & { readonly role: OperatorRole };
  readonly request?: { readonly id: string };
  /** The access token's name. */
  readonly token?: string;
}

export type Handlers = {
  readonly [Name in ManagementCallName]: readonly [
    requires: Permission,
    run: (input: InputOf<Name>, caller: Caller) => unknown,
  ];
};

/** Returns the details about the access token that are recorded in the audit log. */
export const detailOf = ({ token }: Caller): object => (token === undefined ? {} : { token });

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
