/**
 * The branches of a running project: creates and removes them, listens on their ports, starts their servers when clients
 * use them, and deletes unused branches ([decision 123](../../../../docs/decisions/0123-branches.md)).
 */
import { BranchError } from '../../../base/shared/branches.ts';
import type { Machine } from '../../../base/shared/machine.ts';
import { projectRefOf } from '../../../base/shared/project-ref.ts';
import {
  type BranchSource,
  checkName,
  copyCode,
  newId,
  readRecords,
  removeBranch,
  removeData,
  removeLeftovers,
} from '../../../operations/branches/index.ts';
import type {
  Branch,
  BranchChange,
  Branches,
  BranchOperator,
  NewBranch,
} from '../../../pages/console/index.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import { fillBranch } from './fill.ts';
import { OpenBranch, projectIdOf } from './open-branch.ts';
import type { BranchesDeps, BranchRecord, BranchServer } from './types.ts';

export interface BranchesService extends Branches {
  /** Listens on the ports of all branches. */
  start(): Promise<void>;
  /** Stops all branch servers. */
  stop(): Promise<void>;
}

export const createBranches = (deps: BranchesDeps): BranchesService => new ProjectBranches(deps);

/** How long `create` and `reset` wait before they return a branch that isn't ready yet. */
const waitMs = 30_000;
/** How often unused branches are searched. */
const sweepMs = 60_000;

class ProjectBranches implements BranchesService {
  readonly #deps: BranchesDeps;
  readonly #open = new Map<string, OpenBranch>();
  #sweeping: NodeJS.Timeout | undefined;
  /** The removal of files of interrupted creations and removals. */
  #clearing: Promise<void> | undefined;

  constructor(deps: BranchesDeps) {
    this.#deps = deps;
  }

  get #settings() {
    return this.#deps.config.current.plinth.branches;
  }

  #add(record: BranchRecord): OpenBranch {
    const branch = new OpenBranch(this.#deps, record, (signal) => this.#launch(branch, signal));
    this.#open.set(record.ref, branch);
    return branch;
  }

  async #launch(branch: OpenBranch, signal: AbortSignal): Promise<BranchServer> {
    const { record, folders } = branch;
    await this.#makeRoom();
    signal.throwIfAborted();
    let server: BranchServer | undefined;
    try {
      server = await this.#deps.start(folders, signal);
      await this.#alignOperators(branch, server);
      return server;
    } catch (error) {
      await server?.stop();
      this.#deps.log.error({ branch: record.name, error }, 'branch: the server did not start');
      throw new BranchError('start_failed', (error as Error).message, error);
    }
  }

  /** Gives the operators who have opened the branch the roles that they have in the project now. */
  async #alignOperators({ record: { operators = [] } }: OpenBranch, server: BranchServer): Promise<void> {
    if (operators.length === 0) return;
    const roles = new Map((await this.#deps.operators()).map(({ name, role }) => [name, role]));
    await server.setOperators(operators.map((name) => ({ name, role: roles.get(name) ?? null })));
  }

  /** Stops the unused servers that were used longest ago, if more than the maximum number of servers runs. */
  async #makeRoom(): Promise<void> {
    const max = this.#settings.max_running ?? maxRunningOf(this.#deps.machine);
    const running = [...this.#open.values()].map(({ runner }) => runner).filter(({ isRunning }) => isRunning);
    // The server that is about to start counts as running.
    const excess = running.length - max;
    if (excess <= 0) return;
    const unused = running.filter(({ users }) => users === 0).sort((a, b) => a.usedAt - b.usedAt);
    if (unused.length < excess) throw new BranchError('all_running');
    await Promise.all(unused.slice(0, excess).map((runner) => runner.stop()));
  }

  #find(id: string): OpenBranch {
    const found = this.#open.get(id) ?? [...this.#open.values()].find(({ record }) => record.id === id);
    if (found === undefined) throw new BranchError('unknown');
    return found;
  }

  #findIdle(id: string): OpenBranch {
    const branch = this.#find(id);
    if (branch.isBusy || branch.signal.aborted) throw new BranchError('busy');
    return branch;
  }

  #checkFree(name: string): void {
    checkName(name);
    if ([...this.#open.values()].some(({ record }) => record.name === name))
      throw new BranchError('name_taken');
  }

  /** Creates the folders and data of a branch, after it has removed earlier data. */
  #fill(branch: OpenBranch, upToVersion?: string): Promise<void> {
    const { source } = this.#deps;
    const { folders, signal, runner, record } = branch;
    return branch.run(async () => {
      await runner.stop();
      await removeData(folders);
      try {
        await copyCode(source, folders);
        await fillBranch(this.#deps, record, { upToVersion, signal });
      } catch (error) {
        // An incomplete copy is useless, and the project may need the space if the disk is full.
        await removeData(folders).catch(() => undefined);
        throw error;
      }
      signal.throwIfAborted();
      await branch.listen();
      // The first start applies the migrations.
      if (!record.withData) await runner.use(async () => undefined);
      return 'FUNCTIONS_DEPLOYED';
    });
  }

  async #remove(branch: OpenBranch): Promise<void> {
    await branch.close();
    await removeBranch(this.#deps.source.dataDir, branch.record.ref);
    this.#open.delete(branch.record.ref);
  }

  async operatorsChanged(): Promise<void> {
    for (const branch of [...this.#open.values()])
      await branch.runner
        .whileRunning((server) => this.#alignOperators(branch, server))
        .catch((error: unknown) =>
          this.#deps.log.error(
            { branch: branch.record.name, error },
            'branch: changes of the operators could not be applied',
          ),
        );
  }

  async #sweep(): Promise<void> {
    const { now, log } = this.#deps;
    // Another node may have changed them.
    await this.operatorsChanged();
    for (const branch of [...this.#open.values()]) {
      const { deletedAt, name } = branch.shown();
      if (deletedAt === undefined || deletedAt > now() || branch.runner.users > 0 || branch.isBusy) continue;
      log.info({ branch: name }, 'branch: deleted, because it was not used');
      await this.#remove(branch).catch((error: unknown) =>
        log.error({ branch: name, error }, 'branch: the deletion failed'),
      );
    }
  }

  list(): readonly Branch[] {
    return [...this.#open.values()].map((branch) => branch.shown());
  }

  find(id: string): Branch {
    return this.#find(id).shown();
  }

  async create(wanted: NewBranch, by: string): Promise<Branch> {
    const { source, config, now } = this.#deps;
    const { max, mask } = this.#settings;
    checkWanted(wanted, source, config);
    this.#checkFree(wanted.name);
    if (max === 0) throw new BranchError('turned_off');
    if (this.#open.size >= max) throw new BranchError('too_many');
    const id = newId();
    const at = now();
    const branch = this.#add({
      id,
      ref: projectRefOf(projectIdOf(this.#deps, id)),
      name: wanted.name,
      gitBranch: wanted.gitBranch,
      createdBy: by,
      createdAt: at,
      updatedAt: at,
      lastUsedAt: at,
      withData: wanted.withData,
      isMasked: wanted.withData && (wanted.isMasked ?? mask.enabled),
      fromTime: wanted.fromTime,
      isPersistent: wanted.isPersistent,
      status: 'CREATING_PROJECT',
      ports: { api: 0, console: 0, database: 0 },
    });
    try {
      branch.update({});
    } catch (error) {
      this.#open.delete(branch.record.ref);
      throw error;
    }
    await atMost(this.#fill(branch), waitMs);
    return branch.shown();
  }

  change(id: string, change: BranchChange): Branch {
    const branch = this.#findIdle(id);
    if (change.name !== undefined && change.name !== branch.record.name) this.#checkFree(change.name);
    branch.update({ ...change, updatedAt: this.#deps.now() });
    branch.writeIdentity();
    return branch.shown();
  }

  remove(id: string): Promise<void> {
    return this.#remove(this.#find(id));
  }

  async reset(id: string, version: string | undefined): Promise<Branch> {
    const branch = this.#findIdle(id);
    if (version !== undefined && branch.record.withData) throw new BranchError('version_needs_migrations');
    branch.update({ status: 'CREATING_PROJECT', problem: undefined });
    await atMost(this.#fill(branch, version), waitMs);
    return branch.shown();
  }

  async manage(id: string, name: string, input: unknown, operator: BranchOperator): Promise<unknown> {
    return this.#find(id)
      .usable()
      .runner.use((server) => server.manage(name, input, operator));
  }

  async status(id: string): Promise<Readonly<Record<string, string>>> {
    return this.#find(id)
      .usable()
      .runner.use(async ({ status }) => status);
  }

  async signInLink(id: string, operator: BranchOperator): Promise<string> {
    const branch = this.#find(id).usable();
    const { operators = [] } = branch.record;
    if (!operators.includes(operator.name)) branch.update({ operators: [...operators, operator.name] });
    return branch.runner.use((server) => server.signInLink(operator));
  }

  async start(): Promise<void> {
    const {
      source: { dataDir },
      log,
    } = this.#deps;
    this.#clearing = removeLeftovers(dataDir).catch((error: unknown) =>
      log.error({ error }, 'branches: leftover files could not be removed'),
    );
    for (const record of readRecords(dataDir)) {
      const branch = this.#add(record);
      if (record.status === 'CREATING_PROJECT')
        branch.update({
          status: 'MIGRATIONS_FAILED',
          problem: 'The server stopped while it created the branch. Reset or delete the branch.',
        });
      else await this.#listen(branch);
    }
    this.#sweeping = setInterval(() => void this.#sweep(), sweepMs).unref();
  }

  /** A branch whose address can't be used, for example because `[branches] host` is wrong, must not stop the project. */
  async #listen(branch: OpenBranch): Promise<void> {
    try {
      await branch.listen();
    } catch (error) {
      this.#deps.log.error({ branch: branch.record.name, error }, 'branch: its ports could not be opened');
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([this.#clearing, ...[...this.#open.values()].map((branch) => branch.close())]);
  }
}

/** @throws {BranchError} */
function checkWanted(
  { withData, fromTime }: NewBranch,
  { database }: BranchSource,
  { current }: LiveConfig,
): void {
  if (!withData && fromTime !== undefined) throw new BranchError('time_needs_data');
  if (withData && !database.info.embedded) throw new BranchError('external_database');
  if (fromTime !== undefined && current.plinth.backup.to === undefined) throw new BranchError('no_backup');
}

const GiB = 1024 ** 3;

/** A running branch needs about 200 MiB, and its functions and queries need memory too. */
const maxRunningOf = ({ memoryBytes }: Machine): number =>
  Math.max(1, Math.min(8, Math.floor(memoryBytes / GiB)));

/** Resolves when the work has ended, but at most after this time. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
