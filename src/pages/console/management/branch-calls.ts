/**
 * The Management API's operations for branches, with upstream's names and fields. Merging and rebasing apply migrations,
 * each of which is recorded as if it had been pushed.
 */

import { BranchError, mainBranch } from '../../../base/shared/branches.ts';
import { projectRefOf } from '../../../base/shared/project-ref.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Audit } from '../audit.ts';
import type { Branch, Branches } from '../branches/types.ts';
import { compareData } from './branch-data.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';
import type { ManagementCallName } from './inputs.ts';

export interface BranchCallDeps {
  /** Undefined if this server can't have branches. */
  readonly branches: Branches | undefined;
  readonly config: LiveConfig;
  readonly createdAt: () => number;
  /** Writes a migration that was merged into the project's folder. Undefined in production. */
  readonly keepMerged: ((migration: RecordedMigration) => void) | undefined;
  readonly audit: Audit;
}

/** Calls an operation of the project or of a branch. */
type Call = <T>(name: ManagementCallName, input?: object) => Promise<T>;

/** Runs an operation of this project on behalf of the caller. */
type CallProject = (name: ManagementCallName, input: unknown, caller: Caller) => Promise<unknown>;

export interface RecordedMigration {
  readonly version: string;
  readonly name: string;
  readonly statements: readonly string[];
}

interface FunctionVersion {
  readonly slug: string;
  readonly name: string;
  readonly verify_jwt: boolean;
  readonly entrypoint_path: string;
  readonly import_map_path?: string;
  readonly ezbr_sha256?: string;
  readonly source: string;
}

interface Context extends Pick<BranchCallDeps, 'keepMerged'> {
  readonly branches: () => Branches;
  readonly both: (branch: Branch, caller: Caller) => { readonly project: Call; readonly branch: Call };
  readonly record: (caller: Caller, action: string, branch: Branch, detail?: object) => Promise<void>;
  readonly fields: (branch: Branch) => object;
}

export function branchCalls(deps: BranchCallDeps, callProject: CallProject) {
  const ownRef = (): string => projectRefOf(deps.config.current.project_id);
  const branches = (): Branches => {
    if (deps.branches === undefined) throw new BranchError('not_here');
    return deps.branches;
  };
  const ctx: Context = {
    branches,
    keepMerged: deps.keepMerged,
    both: (branch, caller) => ({
      project: async (name, input = {}) => (await callProject(name, input, caller)) as never,
      branch: async (name, input = {}) =>
        (await branches().manage(branch.id, name, input, caller.operator)) as never,
    }),
    record: (caller, action, branch, detail = {}) =>
      deps.audit(caller, action, branch.name, { ref: branch.ref, ...detail, ...detailOf(caller) }),
    fields: (branch) => branchFields(branch, ownRef()),
  };
  return {
    listBranches: [
      'read',
      () => [mainFields(ownRef(), deps.createdAt()), ...(deps.branches?.list() ?? []).map(ctx.fields)],
    ],
    findBranch: [
      'read',
      ({ name }) => {
        const found = branches()
          .list()
          .find((branch) => branch.name === name);
        if (found === undefined) throw new BranchError('unknown');
        return ctx.fields(found);
      },
    ],
    ...changeCalls(ctx),
    ...revealCalls(ctx, () => String(deps.config.current.db.major_version)),
    ...mergeCalls(ctx),
    ...diffCalls(ctx),
  } satisfies Partial<Handlers>;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const branchFields = (branch: Branch, parentRef: string) => ({
  id: branch.id,
  name: branch.name,
  project_ref: branch.ref,
  parent_project_ref: parentRef,
  is_default: false,
  ...(branch.gitBranch === undefined ? {} : { git_branch: branch.gitBranch }),
  persistent: branch.isPersistent,
  status: branch.status,
  with_data: branch.withData,
  created_at: iso(branch.createdAt),
  updated_at: iso(branch.updatedAt),
  preview_project_status: branch.isRunning ? 'ACTIVE_HEALTHY' : 'INACTIVE',
  ...(branch.deletedAt === undefined ? {} : { deletion_scheduled_at: iso(branch.deletedAt) }),
  // Fields that upstream's API doesn't have.
  api_url: branch.apiUrl,
  console_url: branch.consoleUrl,
  masked: branch.isMasked,
  created_by: branch.createdBy,
  ...(branch.fromTime === undefined ? {} : { from_time: branch.fromTime }),
  ...(branch.problem === undefined ? {} : { problem: branch.problem }),
});

/** The project itself, which upstream lists as the default branch. */
const mainFields = (ref: string, createdAt: number) => ({
  id: ref,
  name: mainBranch,
  project_ref: ref,
  parent_project_ref: ref,
  is_default: true,
  persistent: true,
  status: 'FUNCTIONS_DEPLOYED',
  with_data: true,
  created_at: iso(createdAt),
  updated_at: iso(createdAt),
  preview_project_status: 'ACTIVE_HEALTHY',
});

function changeCalls({ branches, both, record, fields }: Context) {
  return {
    createBranch: [
      'write',
      async (input, caller) => {
        const wanted = {
          name: input.branch_name,
          gitBranch: input.git_branch,
          withData: input.with_data || input.from_time !== undefined,
          isMasked: input.mask,
          isPersistent: input.persistent,
          fromTime: input.from_time,
        };
        const branch = await branches().create(wanted, caller.operator.name);
        const { withData: with_data, isMasked: masked, fromTime: from_time, status } = branch;
        await record(caller, 'branch.create', branch, { with_data, masked, from_time, status });
        const secrets = Object.entries(input.secrets).map(([name, value]) => ({ name, value }));
        if (secrets.length > 0) await both(branch, caller).branch('setSecrets', { secrets });
        return fields(branch);
      },
    ],
    changeBranch: [
      'write',
      async ({ id, branch_name: name, git_branch: gitBranch, persistent: isPersistent }, caller) => {
        const change = {
          ...(name === undefined ? {} : { name }),
          ...(gitBranch === undefined ? {} : { gitBranch }),
          ...(isPersistent === undefined ? {} : { isPersistent }),
        };
        const branch = branches().change(id, change);
        await record(caller, 'branch.update', branch, change);
        return fields(branch);
      },
    ],
    deleteBranch: [
      'write',
      async ({ id }, caller) => {
        const branch = branches().find(id);
        await branches().remove(id);
        await record(caller, 'branch.delete', branch);
        return { message: 'ok' };
      },
    ],
    resetBranch: [
      'write',
      async ({ id, migration_version: version }, caller) => {
        const branch = await branches().reset(id, version);
        await record(caller, 'branch.reset', branch, { version, status: branch.status });
        return { workflow_run_id: branch.id, message: 'ok', status: branch.status };
      },
    ],
  } satisfies Partial<Handlers>;
}

/** The operation that returns the branch's password and its secret for tokens. */
function revealCalls({ branches, record, fields }: Context, majorVersion: () => string) {
  return {
    getBranch: [
      'secrets',
      async ({ id }, caller) => {
        const branch = branches().find(id);
        const environment = await branches().status(id);
        await record(caller, 'branch.reveal', branch);
        const database = new URL(environment.DB_URL ?? '');
        return {
          ...fields(branch),
          ref: branch.ref,
          postgres_version: majorVersion(),
          postgres_engine: majorVersion(),
          release_channel: 'ga',
          db_host: database.hostname,
          db_port: Number(database.port),
          db_user: decodeURIComponent(database.username),
          db_pass: decodeURIComponent(database.password),
          jwt_secret: environment.JWT_SECRET,
          status: 'ACTIVE_HEALTHY',
          // The values of `plinth status`, which upstream's API doesn't have.
          environment,
        };
      },
    ],
  } satisfies Partial<Handlers>;
}

function mergeCalls({ branches, both, record, keepMerged }: Context) {
  return {
    /** Applies the migrations of the project that the branch lacks. */
    pushBranch: [
      'write',
      async ({ id }, caller) => {
        const branch = branches().find(id);
        const { project, branch: there } = both(branch, caller);
        const missing = lacking(await project('readHistory'), await there('readHistory'));
        for (const migration of missing) await push(there, migration);
        await record(caller, 'branch.rebase', branch, { migrations: missing.map(({ version }) => version) });
        return { workflow_run_id: branch.id, message: 'ok', migrations: missing.map(named) };
      },
    ],
    /** Applies the migrations and deploys the functions of the branch that the project lacks. */
    mergeBranch: [
      'write',
      async ({ id, migration_version: until }, caller) => {
        const branch = branches().find(id);
        const { project, branch: there } = both(branch, caller);
        const { migrations, functions } = await mergePlan(project, there, until);
        for (const migration of migrations) {
          await push(project, migration);
          keepMerged?.(migration);
        }
        for (const version of functions) await deploy(there, project, version);
        const merged = {
          migrations: migrations.map(({ version }) => version),
          functions: functions.map(slugOf),
        };
        await record(caller, 'branch.merge', branch, merged);
        return { workflow_run_id: branch.id, message: 'ok', ...merged, migrations: migrations.map(named) };
      },
    ],
    // Migrations can contain passwords.
    planMerge: [
      'secrets',
      async ({ id }, caller) => {
        const { project, branch: there } = both(branches().find(id), caller);
        const { migrations, functions } = await mergePlan(project, there, undefined);
        return {
          migrations,
          functions: functions.map(slugOf),
          unrecorded: await unrecorded(project, there, migrations),
        };
      },
    ],
  } satisfies Partial<Handlers>;
}

function diffCalls({ branches, both }: Context) {
  return {
    // A schema can contain secrets, for example in the source of a function.
    diffBranch: [
      'secrets',
      async ({ id, included_schemas: included }, caller) => {
        const { project, branch: there } = both(branches().find(id), caller);
        const schemas = included.split(',').flatMap((name) => name.trim() || []);
        return { sql: await schemaDiff(project, there, schemas) };
      },
    ],
    diffBranchData: [
      'read',
      async ({ id }, caller) => {
        const { project, branch: there } = both(branches().find(id), caller);
        return { tables: await compareData(project, there) };
      },
    ],
  } satisfies Partial<Handlers>;
}

const named = ({ version, name }: RecordedMigration) => ({ version, name });
const slugOf = ({ slug }: FunctionVersion): string => slug;

/** Returns the migrations in `from` that `to` lacks, in their order. */
function lacking(from: readonly RecordedMigration[], to: readonly RecordedMigration[]): RecordedMigration[] {
  const known = new Set(to.map(({ version }) => version));
  return from.filter(({ version }) => !known.has(version));
}

/** @throws {BranchError} diverged, if the branch was never tested with the project's newest migrations */
async function mergePlan(project: Call, branch: Call, until: string | undefined) {
  const [ours, theirs] = await Promise.all([
    project<RecordedMigration[]>('readHistory'),
    branch<RecordedMigration[]>('readHistory'),
  ]);
  const missing = lacking(ours, theirs);
  if (missing.length > 0)
    throw new BranchError('diverged', `Missing: ${missing.map(({ version }) => version).join(', ')}.`);
  const migrations = lacking(theirs, ours).filter(({ version }) => until === undefined || version <= until);
  const [deployed, changed] = await Promise.all([
    project<FunctionVersion[]>('listFunctions'),
    branch<FunctionVersion[]>('listFunctions'),
  ]);
  const hashes = new Set(deployed.map(({ slug, ezbr_sha256: hash }) => `${slug} ${hash}`));
  const functions = changed.filter(
    ({ slug, ezbr_sha256: hash, source }) => source === 'deployed' && !hashes.has(`${slug} ${hash}`),
  );
  return { migrations, functions };
}

async function push(to: Call, { version, name, statements }: RecordedMigration): Promise<void> {
  if (statements.length === 0)
    throw new ManagementError(
      409,
      `The statements of the migration ${version} aren't recorded, so it can't be applied. Apply it with "plinth db push".`,
    );
  const history = await to<RecordedMigration[]>('listMigrations');
  const query = `${statements.join(';\n\n')};\n`;
  await to('pushMigration', { version, name, query, after: history.at(-1)?.version ?? '' });
}

async function deploy(from: Call, to: Call, version: FunctionVersion): Promise<void> {
  const { slug, name, verify_jwt, entrypoint_path: entrypoint, import_map_path: importMap } = version;
  const { files } = await from<{
    readonly files: readonly { readonly path: string; readonly content: Buffer }[];
  }>('getFunctionFiles', { slug });
  await to('deployFunction', {
    slug,
    metadata: {
      name,
      verify_jwt,
      entrypoint_path: sourcePath(entrypoint),
      import_map_path: importMap === undefined ? undefined : sourcePath(importMap),
    },
    files,
  });
}

/** Returns the path of a file URL in the API's format, relative to the function's files. */
const sourcePath = (url: string): string =>
  decodeURIComponent(new URL(url).pathname).replace(/^\/source\//, '');

/** Returns the statements that turn the project's schema into that of the branch. */
async function schemaDiff(project: Call, branch: Call, schemas: readonly string[]): Promise<string> {
  const { compareSnapshots, diffScript, readSnapshotDocument } = await import(
    '../../../project/diff/index.ts'
  );
  const [before, after] = await Promise.all([project('readSchema'), branch('readSchema')]);
  return diffScript(
    compareSnapshots(readSnapshotDocument(before), readSnapshotDocument(after), { schemas: [...schemas] }),
  );
}

/**
 * Returns the difference between the schemas if no migration explains it. Such changes aren't merged. With pending
 * migrations, the difference consists of their changes too, so it isn't returned.
 */
async function unrecorded(
  project: Call,
  branch: Call,
  migrations: readonly RecordedMigration[],
): Promise<string | null> {
  return migrations.length > 0 ? null : await schemaDiff(project, branch, []);
}
