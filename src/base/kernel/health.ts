/** The result of a health check. */
export interface Health {
  /**
   * The state of the service. `degraded` means that requests succeed, but the problem needs an operator's attention.
   */
  readonly status: 'ok' | 'degraded' | 'failing';
  /** A sentence for operators. The sentence must not contain secrets, because `/health` is public. */
  readonly message?: string;
}

/** Runs the check. Returns undefined if the check has succeeded. Throws if the check has failed. */
export type HealthCheck = () => Promise<Health | undefined>;
