/** The Management API's errors. Upstream sends errors as `{message}`. */

export class ManagementError extends Error {
  override name = 'ManagementError';
  readonly status: number;
  /** The value of the `retry-after` header. */
  readonly waitSeconds: number | undefined;
  constructor(
    status: number,
    message: string,
    options: ErrorOptions & { readonly waitSeconds?: number } = {},
  ) {
    super(message, options);
    this.status = status;
    this.waitSeconds = options.waitSeconds;
  }
}
