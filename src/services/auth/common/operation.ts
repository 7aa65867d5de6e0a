/**
 * Defines operations. An operation is a use case that clients can call, with the name of its route and the checks that
 * run first. Routes and the Account pages run the same operations, so both always run the checks (decision 40).
 */
import type { AuthContext } from '../context.ts';
import type { SignInMethod } from '../sign-in/counts.ts';
import type { Caller } from './caller.ts';
import { withDeadline } from './deadline.ts';
import type { ReadFields } from './fields.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The input of every operation. */
export interface Call {
  readonly caller: Caller;
  readonly body: ReadFields;
}

/** A check that runs before an operation. Throws if the call isn't allowed. */
export type Guard = (ctx: AuthContext, call: Call) => Promise<void> | void;

export interface Operation<Input extends Call, Result> {
  /**
   * The operation's route, relative to the service's mount path. `?name=value` selects among the operations of one
   * path. An operation that only the Account pages run is logged as a request to this route.
   */
  readonly on: `${Method} /${string}`;
  /** The status of a successful response. Defaults to 200. */
  readonly status?: 200 | 201 | 204 | 302 | 303;
  /** The checks, in the order in which they run. */
  readonly guards?: readonly Guard[];
  /** The sign-in method reported in `/metrics`. Undefined if the operation doesn't sign users in. */
  readonly signIn?: SignInMethod;
  /**
   * Returns the URL to which a browser that has opened the route is redirected after an error. Without this function,
   * the browser displays the error as JSON.
   */
  readonly errorPage?: (ctx: AuthContext, caller: Caller) => string;
  /** Runs the use case. Authenticates the caller first if required. */
  run(ctx: AuthContext, input: Input): Promise<Result> | Result;
}

/** Runs an operation and its checks, with the time limit for requests. */
export function perform<Input extends Call, Result>(
  ctx: AuthContext,
  { guards = [], signIn, run }: Operation<Input, Result>,
  input: Input,
): Promise<Result> {
  const work = async (): Promise<Result> => {
    for (const guard of guards) await guard(ctx, input);
    return run(ctx, input);
  };
  const counted = signIn === undefined ? work : () => ctx.signIns.track(signIn, work);
  return withDeadline(ctx.settings.requestTimeoutMs, input.caller.ip, counted);
}
