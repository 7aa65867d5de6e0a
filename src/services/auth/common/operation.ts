/**
 * Defines operations. An operation is a use case that clients can call, together with the checks that run before it.
 * The routes and the Account pages run the same operations, so both always run the checks (decision 40).
 */

import type { AuthContext } from '../context.ts';
import type { SignInMethod } from '../sign-in/counts.ts';
import type { Caller } from './caller.ts';
import { withDeadline } from './deadline.ts';
import type { ReadFields } from './fields.ts';

/** The input of every operation. */
export interface Call {
  readonly caller: Caller;
  readonly body: ReadFields;
}

/** A check that runs before an operation. Throws if the call isn't allowed. */
export type Guard = (ctx: AuthContext, call: Call) => Promise<void> | void;

export interface Operation<Input extends Call, Result> {
  /** The checks, in the order in which they run. */
  readonly guards: readonly Guard[];
  /** The sign-in method reported in `/metrics`. Undefined if the operation doesn't sign users in. */
  readonly signIn?: SignInMethod | undefined;
  /** Runs the use case. Authenticates the caller first if required. */
  run(ctx: AuthContext, input: Input): Promise<Result> | Result;
}

/** Runs an operation with the time limit for requests. */
export function perform<Input extends Call, Result>(
  ctx: AuthContext,
  operation: Operation<Input, Result>,
  input: Input,
): Promise<Result> {
  const work = (): Promise<Result> => runGuarded(ctx, operation, input);
  return withDeadline(ctx.settings.requestTimeoutMs, input.caller.ip, work);
}

/** Runs an operation within another operation. The outer operation's time limit applies to both. */
export async function runGuarded<Input extends Call, Result>(
  ctx: AuthContext,
  { guards, signIn, run }: Operation<Input, Result>,
  input: Input,
): Promise<Result> {
  const work = async (): Promise<Result> => {
    for (const guard of guards) await guard(ctx, input);
    return run(ctx, input);
  };
  return signIn === undefined ? work() : ctx.signIns.track(signIn, work);
}
