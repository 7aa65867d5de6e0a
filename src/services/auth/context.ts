/** The dependencies of every use case and route. */

import type { Clock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Outgoing } from '../../base/shared/network/outgoing.ts';
import type { Pool } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Mailer } from '../mail/types.ts';
import type { BackgroundWork } from './common/background-work.ts';
import type { Lanes } from './common/work-queue.ts';
import type { TotpSteps } from './factors/totp-steps.ts';
import type { AttemptLimits } from './limits/attempts.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import type { TxtLookup } from './organizations/domains/txt.ts';
import type { Passwords } from './passwords/hashing.ts';
import type { LeakedPasswords } from './passwords/leaked.ts';
import type { Oidc } from './providers/oidc.ts';
import type { ReadOwnUser } from './sessions/own-user-reads.ts';
import type { RotateToken } from './sessions/rotation.ts';
import type { Settings } from './settings.ts';
import type { SignInCounts } from './sign-in/counts.ts';
import type { ConsumedAssertions } from './sso/spent-assertions.ts';

export interface AuthContext {
  readonly settings: Settings;
  /**
   * The connection pool for the `auth` schema. Its connections use the role supabase_auth_admin. Triggers on auth.users
   * therefore run with this role's privileges and search_path, as on the hosted service.
   */
  readonly pool: Pool;
  /** The connection pool whose transactions switch to the role of an API request, as in the REST service. */
  readonly apiPool: Pool;
  /**
   * The connection pool for the `_plinth` schema. Project roles can't read this schema. A query must not use this pool
   * while a transaction from `pool` holds a lock that the query needs.
   */
  readonly ownTables: Pool;
  /**
   * Whether the database has Plinth's own tables. This is false for databases on the hosted service, because Plinth
   * doesn't create tables there.
   */
  readonly hasOwnTables: boolean;
  readonly keys: Keys;
  readonly mailer: Mailer;
  readonly passwords: Passwords;
  /** The check for leaked passwords. The value is undefined if the check is disabled. */
  readonly leakedPasswords: LeakedPasswords | undefined;
  readonly limits: RateLimits;
  readonly guesses: AttemptLimits;
  /** Limits the concurrent transactions of each user. See `sessions/user-transaction.ts`. */
  readonly userTurns: Lanes;
  readonly signIns: SignInCounts;
  readonly rotateToken: RotateToken;
  readonly readOwnUser: ReadOwnUser;
  readonly assertions: ConsumedAssertions;
  readonly totpSteps: TotpSteps;
  readonly backgroundWork: BackgroundWork;
  readonly clock: Clock;
  /** Sends requests to other servers. */
  readonly outgoing: Outgoing;
  readonly oidc: Oidc;
  /** Reads TXT records, which prove that an organization controls a domain. */
  readonly resolveTxt: TxtLookup;
  readonly log: Logger;
}
