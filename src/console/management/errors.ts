/** The Management API's errors. Upstream sends them as `{message}`. */

export class ManagementError extends Error {
  override name = 'ManagementError';
  readonly status: number;
  /** The `retry-after` header's value. */
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
