/** Public errors: the part of a thrown value that clients may see. */
import { isPostgresError } from '../shared/postgres-error.ts';
import { AuthError, authError } from './errors.ts';

/** Converts any thrown value to an error of the table. `cause` contains the details for the log. */
export function publicError(error: unknown): AuthError {
  const known = asAway(asAuthError(error));
  return known.status >= 500 && isFaultyText(known.cause)
    ? authError('validation_failed', unstorable)
    : known;
}

/** The code to show for an error that has none. */
export const fallbackCode = ({ status }: AuthError): string =>
  status === 500 ? 'unexpected_failure' : 'unknown';

function asAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AuthError('request_entity_too_large');
  return new AuthError('unexpected_failure', { cause: error });
}

/**
 * Returns 503 if PostgreSQL is unavailable: restarting (57P), unreachable (08) or out of connections (53300). GoTrue
 * returns 500. For supabase-js before June 2026, a 500 is a rejected refresh, so it signs the user out.
 */
function asAway(error: AuthError): AuthError {
  if (error.status !== 500 || !isAway(error.cause)) return error;
  return authError('unexpected_failure', away, { status: 503, cause: error.cause });
}

const away = 'The database cannot be reached. Try again in a moment';

const isAway = (error: unknown): boolean =>
  (isPostgresError(error) && /^(08|57P|53300)/.test(error.code)) ||
  (error instanceof Error && isAway(error.cause));

/**
 * SQLSTATEs for text that PostgreSQL can't store, such as a NUL. Our statements contain no such text, so it comes from
 * the request.
 */
const faultyText = new Set(['22021', '22P05']);

const unstorable = 'The request holds text that cannot be stored';

const isFaultyText = (cause: unknown): boolean => isPostgresError(cause) && faultyText.has(cause.code);

/** SQLSTATEs that a project's triggers and constraints raise. Older clients see these errors unchanged. */
const raisedByProject = new Set(['P0001', '23000', '23001', '23502', '23503', '23505', '23514', '23P01']);

interface PostgresErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: string;
}

export function publicPostgresError(cause: unknown): { status: number; body: PostgresErrorBody } | undefined {
  if (!isPostgresError(cause)) return undefined;
  const custom = /^PT(\d{3})$/.exec(cause.code);
  if (!custom && !raisedByProject.has(cause.code)) return undefined;
  return {
    status: custom ? Number(custom[1]) : 500,
    body: {
      code: cause.code,
      message: cause.message,
      ...(cause.hint ? { hint: cause.hint } : {}),
      ...(cause.detail ? { detail: cause.detail } : {}),
    },
  };
}
