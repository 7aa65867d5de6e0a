/** What every flow and route of the service works with. */
import type { Pool } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Outgoing } from '../kernel/outgoing.ts';
import type { Keys } from '../keys/types.ts';
import type { Mailer } from '../mail/types.ts';
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
  /** As supabase_auth_admin: users' triggers run with its rights and search_path, as on the hosted service. */
  readonly pool: Pool;
  /** Schema `_plinth`, which no role of the project reads. Never asked while a transaction of `pool` waits for it to lock. */
  readonly ownTables: Pool;
  /** False for a database of the hosted service, where nothing of ours is made. */
  readonly hasOwnTables: boolean;
  readonly keys: Keys;
  readonly mailer: Mailer;
  readonly passwords: Passwords;
  /** Undefined: nobody is asked. */
  readonly leakedPasswords: LeakedPasswords | undefined;
  readonly limits: RateLimits;
  readonly guesses: AttemptLimits;
  readonly rotateToken: RotateToken;
  readonly assertions: SpentAssertions;
  readonly totpSteps: TotpSteps;
  readonly backgroundWork: BackgroundWork;
  readonly clock: Clock;
  /** To other servers. */
  readonly outgoing: Outgoing;
  readonly oidc: Oidc;
  readonly log: Logger;
}
