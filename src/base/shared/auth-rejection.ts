/** An error that auth reports to a client. The error contains the status and the JSON body of the HTTP response. */
export class AuthRejection extends Error {
  override readonly name = 'AuthRejection';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(typeof body.msg === 'string' ? body.msg : `The auth service returned status ${status}.`, options);
    this.status = status;
    this.body = body;
  }

  /** The error code. Empty if the error body doesn't contain a code, such as in the OAuth format. */
  get code(): string {
    return typeof this.body.error_code === 'string' ? this.body.error_code : '';
  }
}
