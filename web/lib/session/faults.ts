/**
 * The seven messages of the specification's error catalog (section 8). The messages must not change, because callers
 * and logs compare them. The catalogs in `web/locales` contain a message for users for each `code`.
 */
export const faultMessages = {
  jwks_empty: 'JWKS is empty',
  no_matching_key: 'No matching signing key found in JWKS',
  bad_signature: 'Invalid JWT signature',
  expired: 'JWT has expired',
  missing_exp: 'Missing exp claim',
  bad_algorithm: 'Invalid alg claim',
  url_and_key_required: 'URL and key required',
} as const;

export type FaultCode = keyof typeof faultMessages;

export class SessionFault extends Error {
  override readonly name = 'SessionFault';
  readonly code: FaultCode;
  constructor(code: FaultCode, options?: ErrorOptions) {
    super(faultMessages[code], options);
    this.code = code;
  }
}
