/** Defines the errors that the platform returns instead of a function's response, in the format `{code, message}`. */
export interface PlatformError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The number of seconds after which the client can retry. */
  readonly retryAfterSeconds?: number;
}

export const errors = {
  notFound: { status: 404, code: 'NOT_FOUND', message: 'Requested function was not found' },
  boot: { status: 503, code: 'BOOT_ERROR', message: 'Worker failed to boot (please check logs)' },
  worker: {
    status: 500,
    code: 'WORKER_ERROR',
    message: 'Function exited due to an error (please check logs)',
  },
  limit: {
    status: 546,
    code: 'WORKER_LIMIT',
    message: 'Worker failed to respond due to a resource limit (please check logs)',
  },
  overloaded: {
    status: 503,
    code: 'OVERLOADED',
    retryAfterSeconds: 1,
    message: 'The server is receiving too many requests. Try again in a moment.',
  },
  idle: {
    status: 504,
    code: 'IDLE_TIMEOUT',
    message: 'The function did not answer in time (please check logs)',
  },
  noDeno: {
    status: 503,
    code: 'BOOT_ERROR',
    message:
      'Functions cannot run because Deno is not installed for this platform. Install the optional dependencies (npm ci without --omit=optional).',
  },
  missingToken: { status: 401, code: 'UNAUTHORIZED_NO_AUTH_HEADER', message: 'Missing authorization header' },
  tokenFormat: { status: 401, code: 'UNAUTHORIZED_INVALID_JWT_FORMAT', message: 'Invalid JWT format' },
  secretToken: { status: 401, code: 'UNAUTHORIZED_LEGACY_JWT', message: 'Invalid JWT' },
  asymmetricToken: { status: 401, code: 'UNAUTHORIZED_ASYMMETRIC_JWT', message: 'Invalid JWT' },
  tokenAlgorithm: {
    status: 401,
    code: 'UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM',
    message: 'Unsupported JWT algorithm',
  },
} as const satisfies Record<string, PlatformError>;

/** An error that `routes.ts` converts to a response. The error is never passed to other modules. */
export class FunctionError extends Error {
  readonly entry: PlatformError;
  /** Output of Deno or the platform. This output is logged and, in development, included in the response. */
  readonly details: readonly string[];
  constructor(entry: PlatformError, options: ErrorOptions & { readonly details?: readonly string[] } = {}) {
    super(entry.message, options);
    this.entry = entry;
    this.details = options.details ?? [];
  }
}

/**
 * The reasons why a deployment or a secret is rejected. The HTTP status for each reason is the same as in upstream's
 * Management API.
 */
const statuses = { invalid: 400, missing: 404, conflict: 409, tooLarge: 413, full: 507 } as const;

export class DeployError extends Error {
  override name = 'DeployError';
  readonly status: number;
  constructor(reason: keyof typeof statuses, message: string) {
    super(message);
    this.status = statuses[reason];
  }
}
