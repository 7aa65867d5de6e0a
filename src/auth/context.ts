/** The dependencies of every use case and route. */
import type { Pool } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Keys } from '../keys/types.ts';
import type { Mailer } from '../mail/types.ts';
import type { Outgoing } from '../shared/outgoing.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import type { BackgroundWork } from './background-work.ts';
import type { LeakedPasswords } from './leaked-passwords.ts';
import type { Oidc } from './oidc.ts';
import type { Passwords } from './passwords.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Settings } from './settings.ts';
import type { SpentAssertions } from './spent-assertions.ts';
import type { RotateToken } from './token-rotation.ts';
import type { TotpSteps } from './totp-steps.ts';

export interface AuthContext {
  readonly settings: Settings;
  /**
   * Runs as supabase_auth_admin, so triggers on users have that role's rights and search_path, as on the hosted
   * service.
   */
  readonly pool: Pool;
  /**
   * Access to schema `_plinth`, which no project role can read. Must not be used while a transaction of `pool` holds a
   * lock that the query needs.
   */
  readonly ownTables: Pool;
  /** False for a database of the hosted service, where we create no tables. */
  readonly hasOwnTables: boolean;
  readonly keys: Keys;
  readonly mailer: Mailer;
  readonly passwords: Passwords;
  /** Undefined if the check is disabled. */
  readonly leakedPasswords: LeakedPasswords | undefined;
  readonly limits: RateLimits;
  readonly guesses: AttemptLimits;
  readonly rotateToken: RotateToken;
  readonly assertions: SpentAssertions;
  readonly totpSteps: TotpSteps;
  readonly backgroundWork: BackgroundWork;
  readonly clock: Clock;
  /** Sends requests to other servers. */
  readonly outgoing: Outgoing;
  readonly oidc: Oidc;
  readonly log: Logger;
}
