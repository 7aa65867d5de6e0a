/** Checks passwords against the project's rules and against known leaks. */
import type { AuthContext } from '../context.ts';
import { type AuthError, internalError } from '../errors.ts';
import { passwordFault } from './rules.ts';

/**
 * Checks a new password. Throws `weak_password` if the password is too weak, or `validation_failed` if it is too long.
 */
export async function requireStrongPassword(ctx: AuthContext, password: string): Promise<void> {
  const fault = await findWeakness(ctx, password);
  if (fault) throw fault;
}

/** Returns the reason why a password is weak. A weak password doesn't prevent a user from signing in. */
export async function weaknessAtSignIn(ctx: AuthContext, password: string): Promise<AuthError | undefined> {
  try {
    return await findWeakness(ctx, password);
  } catch (error) {
    ctx.log.warn({ service: 'auth', error }, 'failed to check the strength of a password at sign-in');
    return undefined;
  }
}

async function findWeakness(ctx: AuthContext, password: string): Promise<AuthError | undefined> {
  // Checks the rules first, so that a password that is too long isn't sent to the leak check.
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
    ctx.log.warn(
      { service: 'auth', error },
      'failed to check for leaked passwords; the password is accepted',
    );
    return false;
  }
}
