/** Shows an OAuth client's request to the user and stores the user's decision. */

import type { Fields, ReadFields } from '../common/fields.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Operation } from '../common/operation.ts';
import { isRedirectAllowed } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError } from '../errors.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { requireOAuthServer } from './authorize.ts';
import { decideAuthorization, openAuthorization } from './consent.ts';
import type { OpenedAuthorization } from './render-authorization.ts';

export interface AuthorizationCall extends Call {
  readonly authorizationId: string;
  /** The origin of the page that sent the request. Undefined for requests from apps, servers and the Account pages. */
  readonly origin: string | undefined;
}

export const openOAuthAuthorization: Operation<AuthorizationCall, OpenedAuthorization> = {
  guards: [],
  async run(ctx, { caller, authorizationId, origin }) {
    requireOAuthServer(ctx);
    const self = await limitChanges(ctx, await requirePerson(ctx, caller));
    rejectForeignOrigin(ctx, origin);
    return openAuthorization(ctx, authorizationId, self);
  },
};

/** Approves or denies an authorization. Returns the URL to which the browser is redirected. */
export const decideOAuthAuthorization: Operation<AuthorizationCall, string> = {
  guards: [],
  async run(ctx, { caller, authorizationId, origin, body }) {
    requireOAuthServer(ctx);
    const self = await limitChanges(ctx, await requirePerson(ctx, caller));
    rejectForeignOrigin(ctx, origin);
    const action = readJson(body).text('action');
    if (action !== 'approve' && action !== 'deny') {
      throw authError('validation_failed', "action must be 'approve' or 'deny'");
    }
    return decideAuthorization(ctx, authorizationId, self, action);
  },
};

/** Reads a JSON body. Throws `bad_json` with the message that the OAuth server's endpoints use. */
export function readJson(body: ReadFields): Fields {
  try {
    return body();
  } catch (error) {
    throw error instanceof AuthError ? authError('bad_json', 'invalid JSON body') : error;
  }
}

/**
 * Rejects requests from pages that aren't allowed to read authorizations. Only Plinth's consent page and the project's
 * own consent page may read authorizations. Apps and servers don't send an Origin header.
 */
function rejectForeignOrigin({ settings }: AuthContext, origin: string | undefined): void {
  if (origin === undefined || origin === '' || isRedirectAllowed(settings.redirects, origin)) return;
  throw authError('validation_failed', 'unauthorized request origin');
}
