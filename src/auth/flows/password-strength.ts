/** Is a password good enough: the project's rules, and what is known from leaks. */
import type { AuthContext } from '../context.ts';
import { passwordFault } from '../core/password-rules.ts';
import { type AuthError, internalError } from '../errors.ts';

/** Throws `weak_password`, `validation_failed` when it is too long. */
export async function requireStrongPassword(ctx: AuthContext, password: string): Promise<void> {
  const fault = await findWeakness(ctx, password);
  if (fault) throw fault;
}

/** What a sign-in tells of a password that would not do today; never a reason to refuse it. */
export async function weaknessAtSignIn(ctx: AuthContext, password: string): Promise<AuthError | undefined> {
  try {
    return await findWeakness(ctx, password);
  } catch (error) {
    ctx.log.warn({ service: 'auth', error }, 'the strength of a password could not be judged at sign-in');
    return undefined;
  }
}

async function findWeakness(ctx: AuthContext, password: string): Promise<AuthError | undefined> {
  // First what needs nobody else: a password that is too long is asked of no one.
  const fault = passwordFault(password, ctx.settings.password);
  return (await isLeaked(ctx, password)) ? passwordFault(password, ctx.settings.password, true) : fault;
}

async function isLeaked(ctx: AuthContext, password: string): Promise<boolean> {
  const { leakedPasswords, settings } = ctx;
  if (!leakedPasswords) return false;
  try {
    return await leakedPasswords.has(password);
  } catch (error) {
    if (settings.leakedPasswords.fail_closed) {
      throw internalError('Unable to perform password strength check with HaveIBeenPwned.org.', error);
    }
    ctx.log.warn({ service: 'auth', error }, 'leaked passwords could not be checked and are let through');
    return false;
  }
}
