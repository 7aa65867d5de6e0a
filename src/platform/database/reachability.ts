/**
 * Determines for the readiness report whether requests can use the database, with as little work as possible. A response
 * to a request proves that PostgreSQL works. Without a recent response, one statement runs on an open connection. Signing
 * in starts a process in PostgreSQL for each role, so it is repeated only once in a while, and whenever opening a
 * connection has failed.
 */
export interface ReachabilityOptions {
  /** Signs in as each role that the services use. */
  readonly signIn: () => Promise<void>;
  /** Runs a statement on an open connection. */
  readonly ping: () => Promise<void>;
  /** Returns the time of the most recent response on any connection. */
  readonly answeredAt: () => number;
  readonly now: () => number;
}

export interface Reachability {
  /** @throws if the server can't be reached or rejects a role */
  check(): Promise<void>;
  /** Notes that opening a connection failed, so that the next check signs in. */
  suspect(): void;
}

/** The interval at which a check signs in. */
export const signInIntervalMs = 30_000;
/** The age up to which a response is a proof. The readiness report is computed at most once per second. */
export const proofAgeMs = 1000;

export function createReachability({ signIn, ping, answeredAt, now }: ReachabilityOptions): Reachability {
  let signedInAt = Number.NEGATIVE_INFINITY;
  return {
    async check() {
      const startedAt = now();
      if (startedAt - signedInAt >= signInIntervalMs) {
        signedInAt = Number.NEGATIVE_INFINITY;
        await signIn();
        signedInAt = startedAt;
        return;
      }
      if (startedAt - answeredAt() < proofAgeMs) return;
      try {
        await ping();
      } catch (error) {
        signedInAt = Number.NEGATIVE_INFINITY;
        throw error;
      }
    },
    suspect() {
      signedInAt = Number.NEGATIVE_INFINITY;
    },
  };
}
