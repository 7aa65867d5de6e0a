/** One branch of a running project: its record, its ports, its server, and the operation that changes its data. */

import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { BranchError } from '../../../base/shared/branches.ts';
import {
  type BranchRecord,
  type BranchStatus,
  foldersOf,
  writeRecord,
} from '../../../operations/branches/index.ts';
import type { Branch } from '../../../pages/console/index.ts';
import { writeIdentity } from './identity.ts';
import { openRelay, type Relay } from './relay.ts';
import { createRunner, type Runner } from './runner.ts';
import type { BranchesDeps, BranchServer, ServerPorts } from './types.ts';

/** The time of the last use is written at most this often. */
const recordUseMs = 60_000;

const loopback = '127.0.0.1';

/** The maximum number of connections to each port of a branch. */
const maxConnections = 500;

export class OpenBranch {
  readonly runner: Runner;
  record: BranchRecord;
  readonly #deps: BranchesDeps;
  readonly #relays: Relay[] = [];
  readonly #aborting = new AbortController();
  /** The creation, reset or removal in progress. */
  #work: Promise<void> | undefined;

  constructor(
    deps: BranchesDeps,
    record: BranchRecord,
    launch: (signal: AbortSignal) => Promise<BranchServer>,
  ) {
    this.#deps = deps;
    this.record = record;
    this.runner = createRunner({
      launch,
      idleMs: () => this.#settings.idle_timeout,
      onUsed: () => this.#noteUse(),
      now: deps.now,
    });
  }

  get #settings() {
    return this.#deps.config.current.plinth.branches;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  get folders() {
    return foldersOf(this.#deps.source.dataDir, this.record.ref);
  }

  /** Aborted when the branch is removed or its project's server stops. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  update(change: Partial<BranchRecord>): void {
    this.record = { ...this.record, ...change };
    writeRecord(this.#deps.source.dataDir, this.record);
  }

  #noteUse(): void {
    const { now } = this.#deps;
    if (!this.isBusy && !this.signal.aborted && now() - this.record.lastUsedAt > recordUseMs)
      this.#note({ lastUsedAt: now() });
  }

  /** Records what has already happened, which a full disk can't undo. */
  #note(change: Partial<BranchRecord>): void {
    try {
      this.update(change);
    } catch (error) {
      this.#deps.log.error({ branch: this.record.name, error }, 'branch: its record could not be written');
    }
  }

  get #urls() {
    const { api, console } = this.record.ports;
    return {
      apiUrl: `http://${shownHost(this.#settings.host)}:${api}`,
      consoleUrl: `http://${loopback}:${console}`,
    };
  }

  shown(): Branch {
    const { delete_after: deleteAfter } = this.#settings;
    const { isPersistent, lastUsedAt } = this.record;
    return {
      ...this.record,
      ...this.#urls,
      isRunning: this.runner.isRunning,
      deletedAt: isPersistent || deleteAfter === 0 ? undefined : lastUsedAt + deleteAfter,
    };
  }

  /** Returns this branch if its server can start. @throws {BranchError} not_ready */
  usable(): OpenBranch {
    if (this.signal.aborted) throw new BranchError('not_ready', 'It is being deleted.');
    if (this.isBusy) throw new BranchError('not_ready', 'It is being created.');
    const { status, problem } = this.record;
    if (status === 'MIGRATIONS_FAILED') throw new BranchError('not_ready', problem);
    return this;
  }

  /** Opens the ports if they aren't open, and stores the addresses for the branch's server. */
  async listen(): Promise<void> {
    if (this.#relays.length === 0) {
      try {
        const ports = {
          api: await this.#relay('api', this.#settings.host),
          console: await this.#relay('console', loopback),
          database: await this.#relay('database', loopback),
        };
        this.update({ ports });
      } catch (error) {
        this.#closePorts();
        throw error;
      }
    }
    this.writeIdentity();
  }

  async #relay(kind: keyof ServerPorts, host: string): Promise<number> {
    const relay = await openRelay({
      host,
      port: this.record.ports[kind],
      maxConnections,
      use: async (work) => this.usable().runner.use(({ ports }) => work(ports[kind])),
      failure: (error) => (kind === 'database' ? '' : unavailable(error)),
    });
    this.#relays.push(relay);
    return relay.port;
  }

  writeIdentity(): void {
    const { dataDir } = this.folders;
    if (!existsSync(dataDir)) return;
    const { name, id, ports } = this.record;
    writeIdentity(dataDir, {
      name,
      projectId: projectIdOf(this.#deps, id),
      ...this.#urls,
      databasePort: ports.database,
    });
  }

  /** Runs an operation on the branch's data, and stores its result. Clients can't use the branch in the meantime. */
  run(work: () => Promise<BranchStatus>): Promise<void> {
    const { now, log } = this.#deps;
    const end = (change: Partial<BranchRecord>): void => {
      this.#work = undefined;
      this.#note({ ...change, updatedAt: now() });
    };
    this.#work = work().then(
      (status) => {
        if (!this.signal.aborted) end({ status, problem: undefined, lastUsedAt: now() });
      },
      (error: unknown) => {
        if (this.signal.aborted) return;
        log.error({ branch: this.record.name, error }, 'branch: the creation failed');
        end({ status: 'MIGRATIONS_FAILED', problem: error instanceof Error ? error.message : String(error) });
      },
    );
    return this.#work;
  }

  /** Closes the ports, ends the operation in progress, and stops the server. */
  async close(): Promise<void> {
    this.#aborting.abort();
    this.#closePorts();
    await this.runner.stop(true);
    await this.#work;
    // The operation may have opened them meanwhile.
    this.#closePorts();
  }

  #closePorts(): void {
    for (const relay of this.#relays.splice(0)) relay.close();
  }
}

/** The `project_id` of a branch, from which its project ref is derived. */
export const projectIdOf = ({ config }: Pick<BranchesDeps, 'config'>, id: string): string =>
  `${config.current.project_id}-${id.slice(0, 8)}`;

const shownHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? loopback : isIP(host) === 6 ? `[${host}]` : host;

function unavailable(error: unknown): string {
  const message =
    error instanceof BranchError ? error.message : 'The branch is unavailable. See the log of its project.';
  const body = JSON.stringify({ message });
  return [
    'HTTP/1.1 503 Service Unavailable',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
