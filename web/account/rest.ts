/** Calls the REST service as the signed-in user, for the tables and functions of the project's organizations. */
import { ApiError, type ApiRequest } from '../lib/api.ts';
import { callService } from './session.ts';

/**
 * PostgreSQL's error codes, by the code that selects the message. The project's functions have their codes in `hint`.
 */
const codes: Readonly<Record<string, string>> = {
  '42501': 'not_allowed',
  '23514': 'invalid_input',
  // A role that members have.
  '23503': 'role_in_use',
  '22P02': 'organization_not_found',
};

export async function callRest<T>(path: string, request: ApiRequest = {}): Promise<T> {
  try {
    return await callService<T>(`/rest/v1${path}`, request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError({ ...fieldsOf(error), code: codeOf(error, path) });
  }
}

export const callFunction = <T>(name: string, body: object): Promise<T> =>
  callRest<T>(`/rpc/${name}`, { method: 'POST', body });

/**
 * Changes or deletes rows. Row level security hides rows that the user may not change, so an empty result is reported as
 * an error.
 */
export async function changeRows(path: string, request: ApiRequest): Promise<void> {
  const rows = await callRest<readonly unknown[] | undefined>(path, {
    ...request,
    headers: { prefer: 'return=representation' },
  });
  if (rows?.length === 0)
    throw new ApiError({ message: 'No row was changed.', status: 403, code: 'not_allowed' });
}

function codeOf({ code, hint }: ApiError, path: string): string {
  if (/^PT\d{3}$/.test(code) && hint !== undefined) return hint;
  // The only values that must be unique are the keys of roles and the short names of organizations.
  if (code === '23505') return path.startsWith('/organization_roles') ? 'role_taken' : 'slug_taken';
  return codes[code] ?? code;
}

const fieldsOf = ({ message, status, hint, detail, requestId, retryAfterSeconds, body }: ApiError) => ({
  message,
  status,
  hint,
  detail,
  requestId,
  retryAfterSeconds,
  body,
});
