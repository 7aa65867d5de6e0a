/** The Console's dependencies on the rest of the server, in groups. */

import type { Clock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { OwnAddress } from '../../base/kernel/request-origin.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { GroupState, GroupView, NodeStatus } from '../../platform/group/types.ts';
import type { KeyStore } from '../../platform/keys/index.ts';
import type { Telemetry } from '../../platform/telemetry/types.ts';
import type { AuthService } from '../../services/auth/index.ts';
import type { Inbox, Mailer } from '../../services/mail/types.ts';
import type { RealtimeService } from '../../services/realtime/types.ts';
import type { Attempt, Replay } from '../../services/rest/index.ts';
import type { BackupDeps } from './backups/routes.ts';
import type { Branches } from './branches/types.ts';
import type { FunctionsView } from './functions/routes.ts';
import type { Conditions } from './home/problems.ts';
import type { HomeDeps } from './home/routes.ts';
import type { BranchCallDeps } from './management/branch-calls.ts';
import type { ManagementDeps } from './management/calls.ts';
import type { NewMigrations } from './management/database-calls.ts';
import type { Inspection } from './management/inspection-calls.ts';
import type { SentFiles } from './management/push-calls.ts';
import type { FunctionFolder, RunTests } from './mcp/types.ts';
import type { Migrations } from './migrations/routes.ts';
import type { WriteMigration } from './schema/apply.ts';
import type { RunningDeps } from './settings/running.ts';

/** The file in the data folder with the key that encrypts second factors and private queries. */
export const keyFile = 'console.key';

export interface ConsoleDeps {
  readonly database: Database;
  readonly keys: KeyStore;
  /** The state that several nodes of a project share. */
  readonly group: Pick<GroupState, 'change' | 'isShared'>;
  /** Asks the nodes of the project, including this one. */
  readonly view: GroupView;
  readonly config: LiveConfig;
  readonly telemetry: Telemetry;
  readonly services: ConsoleServices;
  readonly project: ConsoleProject;
  /** Undefined if this server can't have branches. */
  readonly branches: Branches | undefined;
  readonly api: ApiPort;
  readonly site: ConsoleSite;
  readonly server: RunningServer;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The members of the services that the Console uses. */
export interface ConsoleServices {
  readonly auth: Pick<
    AuthService,
    'messagePreviews' | 'checks' | 'callbackUrl' | 'users' | 'guesses' | 'webhooks'
  >;
  readonly mail: { readonly inbox: Inbox; readonly mailer: Mailer };
  readonly rest: {
    /** Sends a request to the REST service and optionally rolls back the changes that the request makes. */
    readonly attempt: Attempt;
    /** Runs a request again and rolls it back. */
    readonly replay: Replay;
  };
  readonly graphql: {
    /** Sends a request to the GraphQL service. */
    readonly attempt: Attempt;
    /** Runs a request again and rolls it back. */
    readonly replay: Replay;
  };
  readonly realtime: Pick<RealtimeService, 'deliveryChecks' | 'report' | 'tap'>;
  readonly functions: FunctionsView & ManagementDeps['functions'];
  readonly backups: BackupDeps['backups'];
  readonly localBackups: BackupDeps['localBackups'];
  readonly verifications: BackupDeps['verifications'];
}

/** The project's folders, and the operations that change the files in them. */
export interface ConsoleProject {
  /** The folder that contains `supabase/`. */
  readonly dir: string;
  /** The folder in which settings are saved. Undefined if they are saved in `supabase/`. */
  readonly savedDir: string | undefined;
  /** The data folder `.plinth/`. This folder contains the key that encrypts second factors and private queries. */
  readonly dataDir: string;
  readonly migrations: Migrations;
  /** Runs the project's pgTAP tests. Undefined in production. */
  readonly runTests: RunTests | undefined;
  /** The functions in `supabase/functions`. Undefined in production. */
  readonly functionFolder: FunctionFolder | undefined;
  /** Migrations that clients of the Management API send. */
  readonly newMigrations: NewMigrations;
  /** Files of a linked project folder that clients of the Management API send. */
  readonly sentFiles: SentFiles;
  /** Writes a merged migration into the project folder. Undefined in production. */
  readonly keepMerged: BranchCallDeps['keepMerged'];
  readonly inspection: Inspection;
  /** Saves a schema change as a migration file in the project. */
  readonly writeMigration: WriteMigration;
  /**
   * Writes a pgTAP test into the project folder and returns the file's path in the project. Undefined in production.
   */
  readonly writeTest: ((name: string, text: string) => Promise<string>) | undefined;
  /** Creates a function from a template in the project folder and returns its path. */
  readonly createFunction: (name: string) => string;
  /** Returns the project's SQL statements that were skipped at startup because of --keep-going. */
  readonly skipped: HomeDeps['skipped'];
}

/** The API's port. Requests are handled in this process, without using the network. */
export interface ApiPort {
  readonly url: () => string;
  /** Sends a request to a service, such as /auth/v1/admin/users. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Like `fetch`, but streams the response body. Aborting `init.signal` ends the response stream. */
  readonly stream: (path: string, init?: RequestInit) => Promise<Response>;
}

/** The Console's own port and pages. */
export interface ConsoleSite {
  /** Returns the Console's URL for operators, such as `http://127.0.0.1:54323`. */
  readonly url: () => string;
  /** The Console's host names. */
  readonly ownAddress: OwnAddress;
  /** The folder that contains the built web app (dist/web). */
  readonly webDir: string;
}

/** The running server: its state, its settings files and its restart. */
export interface RunningServer extends Pick<RunningDeps, 'configuration' | 'restart'> {
  /**
   * Returns the status of each service except the Console, by the service's name. The status is a description of the
   * problem, or undefined if the service is healthy.
   */
  readonly health: () => Record<string, string | undefined>;
  /** Lists the nodes of the project with their state. */
  readonly nodes: () => Promise<readonly NodeStatus[]>;
  /** The state of the disk and of the certificates. */
  readonly conditions: () => Conditions;
}
