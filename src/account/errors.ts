/** Errors of `/account/api` itself. Errors from auth are passed on in auth's format. */

export const accountErrors = {
  not_same_origin: { status: 403, message: 'This address answers only to the Account pages themselves.' },
  bad_request: { status: 400, message: 'The request is not of the form that this address reads.' },
  not_signed_in: { status: 401, message: 'There is no session. Sign in first.' },
  insufficient_aal: { status: 403, message: 'Confirm the second factor before returning to the app.' },
  factor_required: { status: 403, message: 'Set up a second factor before returning to the app.' },
  redirect_not_allowed: {
    status: 400,
    message: 'This address is not in site_url or additional_redirect_urls of [auth] in config.toml.',
  },
  pkce_required: {
    status: 400,
    message:
      'Send code_challenge and code_challenge_method=s256 with redirect_to, or set [account] implicit_return in plinth.toml.',
  },
  bad_code_challenge: {
    status: 400,
    message: 'code_challenge has 43 to 128 characters of A-Z a-z 0-9 . _ ~ -; its method is s256 or plain.',
  },
  consent_answered: { status: 409, message: 'The request for consent has been answered already.' },
  wallet_refused: { status: 403, message: 'The message that the wallet has signed is not accepted.' },
  not_a_guest: { status: 403, message: 'Only a guest can be handed over, and only to an account.' },
  hand_over_off: {
    status: 409,
    message: 'There is no hook that hands over what a guest has: [auth.hook.guest_hand_over] in plinth.toml.',
  },
  hand_over_failed: {
    status: 502,
    message:
      'The hook that hands over what a guest has failed. The guest is as before; the log has the reason.',
  },
  guest_gone: { status: 404, message: 'The guest account is no longer there.' },
  sign_in_stale: { status: 403, message: 'Sign in afresh before anything is handed over.' },
  not_found: { status: 404, message: 'There is no such address.' },
  internal_error: { status: 500, message: 'Something failed here. The log has it under the request id.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type AccountErrorCode = keyof typeof accountErrors;

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

/** An error response from auth, to be passed on with its status and body. */
export class AuthRefusal extends Error {
  override readonly name = 'AuthRefusal';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body.msg === 'string' ? body.msg : `Auth answered with status ${status}.`);
    this.status = status;
    this.body = body;
  }

  get code(): string {
    return typeof this.body.error_code === 'string' ? this.body.error_code : '';
  }
}
