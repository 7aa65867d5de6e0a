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
