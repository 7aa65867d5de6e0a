/**
 * - *Branch*: a copy of the project with its own folders, keys, PostgreSQL cluster and ports.
 * - *Branch server*: the process that serves a branch while clients use it.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Machine } from '../../../base/shared/machine.ts';
import type { BranchRecord, BranchSource } from '../../../operations/branches/index.ts';
import type { AdmittedOperator, BranchOperator } from '../../../pages/console/index.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';

export interface BranchesDeps {
  readonly source: BranchSource;
  readonly projectDir: string;
  readonly config: LiveConfig;
  readonly start: StartBranchServer;
  readonly machine: Machine;
  /** Returns the operators of the project. */
  readonly operators: () => Promise<readonly BranchOperator[]>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Logger;
}

/** The addresses at which clients reach a branch, which its server doesn't know otherwise. */
export interface BranchIdentity {
  readonly name: string;
  readonly projectId: string;
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly databasePort: number;
}

/** The ports of a running branch server, on the loopback address. */
export interface ServerPorts {
  readonly api: number;
  readonly console: number;
  readonly database: number;
}

/** A running branch server. */
export interface BranchServer {
  readonly ports: ServerPorts;
  /** The values that `plinth status` prints. */
  readonly status: Readonly<Record<string, string>>;
  /** Calls the branch's Management API with the role of the operator. @throws {ManagementError} */
  manage(name: string, input: unknown, operator: BranchOperator): Promise<unknown>;
  /** Creates a one-time link with which the operator signs in to the branch's Console with the same role. */
  signInLink(operator: BranchOperator): Promise<string>;
  /** Changes or removes operators who have opened the branch. */
  setOperators(operators: readonly AdmittedOperator[]): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

/** Starts a branch server and resolves when it is ready. */
export type StartBranchServer = (
  folders: { readonly projectDir: string; readonly dataDir: string },
  signal: AbortSignal,
) => Promise<BranchServer>;

export type { BranchRecord };
