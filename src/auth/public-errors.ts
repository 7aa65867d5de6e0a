/** What clients learn of an error, whatever was thrown. */
import { isPostgresError } from './core/postgres-error.ts';
import { AuthError, authError } from './errors.ts';

/** The error as one of the table. `cause` has the details for the log. */
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
 * 503 where PostgreSQL is away: restarting (57P), not reached (08), without a free connection (53300). GoTrue answers 500,
 * which supabase-js before June 2026 takes for a refusal: a refresh in that moment signed the user out.
 */
function asAway(error: AuthError): AuthError {
  if (error.status !== 500 || !isAway(error.cause)) return error;
  return authError('unexpected_failure', away, { status: 503, cause: error.cause });
}

const away = 'The database cannot be reached; try again in a moment';

const isAway = (error: unknown): boolean =>
  (isPostgresError(error) && /^(08|57P|53300)/.test(error.code)) ||
  (error instanceof Error && isAway(error.cause));

/** Text that PostgreSQL has no place for, as it says of a NUL. Our statements hold none, so the request did. */
const faultyText = new Set(['22021', '22P05']);

const unstorable = 'The request holds text that cannot be stored';

const isFaultyText = (cause: unknown): boolean => isPostgresError(cause) && faultyText.has(cause.code);

/** What triggers and constraints of the project raise is told to older clients as it is. */
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
