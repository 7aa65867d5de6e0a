/** The Console's dependencies on the rest of the server. */

import type { Clock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { OwnAddress } from '../../base/kernel/request-origin.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { KeyStore } from '../../platform/keys/index.ts';
import type { Telemetry } from '../../platform/telemetry/types.ts';
import type {
  AttemptLimits,
  AuthChecks,
  MessagePreviews,
  UserAdministration,
} from '../../services/auth/index.ts';
import type { Inbox, Mailer } from '../../services/mail/types.ts';
import type { RealtimeService } from '../../services/realtime/types.ts';
import type { Attempt } from '../../services/rest/index.ts';
import type { BackupDeps } from './backups/routes.ts';
import type { FunctionsView } from './functions/routes.ts';
import type { Conditions } from './home/problems.ts';
import type { HomeDeps } from './home/routes.ts';
import type { ManagementDeps } from './management/calls.ts';
import type { Migrations } from './migrations/routes.ts';
import type { WriteMigration } from './schema/apply.ts';
import type { SettingsDeps } from './settings/routes.ts';

export interface ConsoleDeps {
  readonly database: Database;
  readonly keys: KeyStore;
  readonly config: LiveConfig;
  readonly inbox: Inbox;
  readonly mailer: Mailer;
  readonly messagePreviews: MessagePreviews;
  readonly authChecks: AuthChecks;
  /** Returns the URL to which sign-in providers redirect users. */
  readonly callbackUrl: () => string;
  readonly users: UserAdministration;
  readonly guesses: AttemptLimits;
  /** The folder that contains `supabase/`. Settings are saved in `supabase/`. */
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly apiUrl: () => string;
  /** Returns the Console's URL for operators, such as `http://127.0.0.1:54323`. */
  readonly consoleUrl: () => string;
  /** The Console's host names. */
  readonly ownAddress: OwnAddress;
  /**
   * Returns the status of each service, by the service's name. The status is a description of the problem, or undefined
   * if the service is healthy.
   */
  readonly health: () => Record<string, string | undefined>;
  /** The state of the disk and of the certificates. */
  readonly conditions: () => Conditions;
  /** Returns the project's SQL statements that were skipped at startup because of --keep-going. */
  readonly skipped: HomeDeps['skipped'];
  /** Sends a request to the REST service and optionally rolls back the changes that the request makes. */
  readonly attempt: Attempt;
  /** Sends a request to a service in this process, such as /auth/v1/admin/users. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Like `internalFetch`, but streams the response body. Aborting `init.signal` ends the response stream. */
  readonly internalStream: (path: string, init?: RequestInit) => Promise<Response>;
  readonly functions: FunctionsView & ManagementDeps['functions'];
  readonly realtime: Pick<RealtimeService, 'deliveryChecks' | 'report'>;
  readonly backups: BackupDeps['backups'];
  readonly drills: BackupDeps['drills'];
  readonly configuration: SettingsDeps['configuration'];
  readonly restart: SettingsDeps['restart'];
  /** Creates a function from a template in the project folder and returns its path. */
  readonly createFunction: (name: string) => string;
  readonly projectMigrations: Migrations;
  /** Saves a schema change as a migration file in the project. */
  readonly writeMigration: WriteMigration;
  /** The data folder `.plinth/`. This folder contains the key that encrypts second factors and private queries. */
  readonly dataDir: string;
  readonly telemetry: Telemetry;
  /** The folder that contains the built web app (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}
