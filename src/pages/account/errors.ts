/**
 * The errors that `/account/api` itself returns. Errors from the auth service are returned in the format of the auth
 * service.
 */
import type { OverloadBody } from '../../base/kernel/service.ts';

export const accountErrors = {
  not_same_origin: { status: 403, message: 'Only the Account pages can use this endpoint.' },
  bad_request: { status: 400, message: 'The request body is invalid.' },
  not_signed_in: { status: 401, message: "You aren't signed in. Sign in first." },
  insufficient_aal: { status: 403, message: 'Verify your second factor before you return to the app.' },
  factor_required: { status: 403, message: 'Set up a second factor before you return to the app.' },
  redirect_not_allowed: {
    status: 400,
    message:
      "This URL doesn't match site_url or additional_redirect_urls in the [auth] section of config.toml.",
  },
  pkce_required: {
    status: 400,
    message:
      'Send code_challenge and code_challenge_method=s256 with redirect_to, or set [account] implicit_return in plinth.toml.',
  },
  bad_code_challenge: {
    status: 400,
    message:
      'code_challenge must consist of 43 to 128 characters from A-Z a-z 0-9 . _ ~ -, and its method must be s256 or plain.',
  },
  consent_answered: { status: 409, message: 'This consent request was already answered.' },
  wallet_refused: { status: 403, message: "The message that the wallet signed isn't valid." },
  not_a_guest: { status: 403, message: 'Data can be moved only from a guest account to a regular account.' },
  hand_over_off: {
    status: 409,
    message: "Guest data can't be moved because [auth.hook.guest_hand_over] in plinth.toml isn't set.",
  },
  hand_over_failed: {
    status: 502,
    message: 'The hook that moves guest data failed, so nothing was changed. See the log for the reason.',
  },
  guest_gone: { status: 404, message: 'The guest account no longer exists.' },
  sign_in_stale: { status: 403, message: 'Sign in again before you move guest data.' },
  not_found: { status: 404, message: "This page doesn't exist." },
  overloaded: { status: 503, message: 'The server is receiving too many requests. Try again in a moment.' },
  internal_error: {
    status: 500,
    message: 'Unexpected error. For details, search the log for the request ID.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

type AccountErrorCode = keyof typeof accountErrors;

export class AccountError extends Error {
  override readonly name = 'AccountError';
  readonly code: AccountErrorCode;
  readonly status: number;
  constructor(code: AccountErrorCode, options?: ErrorOptions) {
    super(accountErrors[code].message, options);
    this.code = code;
    this.status = accountErrors[code].status;
  }
}

const { message } = accountErrors.overloaded;

const json: OverloadBody = {
  below: '/account/api',
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ code: 'overloaded', message }),
};
const page: OverloadBody = {
  type: 'text/html; charset=utf-8',
  text: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Try again in a moment</title><h1>Try again in a moment</h1><p>${message}</p></html>`,
};

/**
 * The responses to requests that are rejected because the server is overloaded. Requests by scripts receive JSON, and
 * requests for pages receive HTML.
 */
export const overloaded: readonly OverloadBody[] = [json, page];
