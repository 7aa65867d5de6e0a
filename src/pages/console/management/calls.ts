/**
 * The Management API's operations, with the permission that each one requires. The routes call these operations on
 * behalf of the owner of an access token. The command line calls these operations directly in a running server.
 */

import { BranchError } from '../../../base/shared/branches.ts';
import { projectRefOf } from '../../../base/shared/project-ref.ts';
import { GroupError, type GroupState } from '../../../platform/group/types.ts';
import type { Finding, FindingCategory } from '../../../project/advisors/index.ts';
import type { FunctionsService } from '../../../services/functions/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { createRedact, redactFile } from '../functions/redact.ts';
import { type BranchCallDeps, branchCalls } from './branch-calls.ts';
import { configCalls } from './config-calls.ts';
import { deployedFields, type FunctionFields, folderFields } from './core/render.ts';
import { type DatabaseCallDeps, databaseCalls } from './database-calls.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';
import type { InputOf, ManagementCallName } from './inputs.ts';
import { type InspectionDeps, inspectionCalls } from './inspection-calls.ts';
import { type ProjectCallDeps, projectCalls } from './project-calls.ts';
import { pushCalls, type SentFiles } from './push-calls.ts';
import type { SettingsChangeDeps } from './settings-change.ts';
import { type SsoDeps, ssoCalls } from './sso-calls.ts';

export interface ManagementDeps
  extends Pick<SsoDeps, 'callService'>,
    Omit<SettingsChangeDeps, 'audit'>,
    Omit<ProjectCallDeps, 'database'>,
    DatabaseCallDeps,
    BranchCallDeps,
    InspectionDeps {
  readonly functions: Pick<FunctionsService, 'list' | 'describe' | 'deployments' | 'secrets'>;
  /** Runs a change of the functions or their secrets, and stores it for all nodes. */
  readonly change: GroupState['change'];
  readonly sentFiles: SentFiles;
  readonly findings: () => Promise<readonly Finding[]>;
  readonly audit: Audit;
}

export interface Management {
  /** Checks that the caller's role allows the call. @throws {ManagementError} if the role doesn't allow the call */
  checkRole(name: ManagementCallName, caller: Caller): Promise<void>;
  /**
   * Runs a call. `ref` is the ref of a branch if the call concerns the branch.
   * @throws {ManagementError} if the role doesn't allow the call or the input is invalid
   */
  call(name: ManagementCallName, input: unknown, caller: Caller, ref?: string): Promise<unknown>;
  /**
   * Checks that a project ref is the ref of this project or of one of its branches.
   * @throws {ManagementError} if the ref belongs to another project
   */
  checkRef(ref: string): Promise<void>;
}

export function createManagement(deps: ManagementDeps): Management {
  const handlers: Handlers = {
    ...projectCalls(deps),
    ...databaseCalls(deps),
    ...pushCalls(deps),
    ...inspectionCalls(deps),
    ...functionCalls(deps),
    ...secretCalls(deps),
    ...configCalls(deps),
    ...advisorCalls(deps),
    ...branchCalls(deps, (name, input, caller) => management.call(name, input, caller)),
    ...ssoCalls({ ...deps, isEnabled: () => deps.config.current.plinth.auth.saml.enabled }),
  };
  const checkRole: Management['checkRole'] = async (name, { operator }) => {
    const [requires] = handlers[name];
    if (!may(operator.role, requires))
      throw new ManagementError(403, `Forbidden resource: the role ${operator.role} doesn't allow this.`);
  };
  const ownRef = (): string => projectRefOf(deps.config.current.project_id);

  /** Runs a call on a branch, which has a separate audit log, with the caller's role. */
  async function callBranch(
    ref: string,
    name: ManagementCallName,
    { input, caller }: { readonly input: unknown; readonly caller: Caller },
  ): Promise<unknown> {
    await checkRole(name, caller);
    const branch = deps.branches?.find(ref);
    if (branch === undefined) throw new ManagementError(404, 'Project not found');
    const result = await deps.branches?.manage(ref, name, input, {
      name: caller.operator.name,
      role: caller.operator.role,
    });
    if (handlers[name][0] !== 'read')
      await deps.audit(caller, 'branch.call', branch.name, { call: name, ...detailOf(caller) });
    return result;
  }

  const management: Management = {
    checkRole,
    async call(name, input, caller, ref = ownRef()) {
      try {
        if (ref !== ownRef() && !ofProject.has(name)) return await callBranch(ref, name, { input, caller });
      } catch (error) {
        throw asBranchError(error);
      }
      await checkRole(name, caller);
      const run = handlers[name][1] as (input: unknown, caller: Caller) => unknown;
      const { inputs } = await import('./inputs.ts');
      const parsed = inputs[name].safeParse(input);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new ManagementError(400, `${issue?.path.join('.') || 'The body'}: ${issue?.message}`);
      }
      try {
        return await run(parsed.data, caller);
      } catch (error) {
        if (!(error instanceof GroupError)) throw asBranchError(error);
        throw new ManagementError(error.status, error.message, { cause: error, waitSeconds: 1 });
      }
    },
    async checkRef(ref) {
      const isBranch = deps.branches?.list().some((branch) => branch.ref === ref);
      if (ref !== ownRef() && isBranch !== true) throw new ManagementError(404, 'Project not found');
    },
  };
  return management;
}

/** Calls that concern this server's project, even with the ref of a branch. */
const ofProject: ReadonlySet<ManagementCallName> = new Set([
  'listOrganizations',
  'getOrganization',
  'getProfile',
  'listProjects',
  'listBranches',
  'createBranch',
  'findBranch',
  'getBranch',
  'changeBranch',
  'deleteBranch',
  'resetBranch',
  'pushBranch',
  'mergeBranch',
  'planMerge',
  'diffBranch',
  'diffBranchData',
]);

/** Converts an error of a branch. Returns all other errors unchanged. */
function asBranchError(error: unknown): unknown {
  if (!(error instanceof BranchError)) return error;
  return new ManagementError(error.status, error.message, { cause: error });
}

function advisorCalls({ findings }: ManagementDeps) {
  const ofCategory = async (category: FindingCategory) => ({
    lints: (await findings()).filter(({ categories }) => categories.includes(category)),
  });
  return {
    securityAdvisors: ['read', () => ofCategory('SECURITY')],
    performanceAdvisors: ['read', () => ofCategory('PERFORMANCE')],
  } satisfies Partial<Handlers>;
}

/** The entrypoint of a function whose code was uploaded as a single text. */
const singleFile = 'index.ts';

function functionCalls({ functions, change, keys, audit }: ManagementDeps) {
  const { deployments } = functions;
  const redact = createRedact(keys);

  /** Rejects functions that don't exist or that exist only in the server's project folder. */
  function requireDeployed(slug: string): void {
    if (deployments.find(slug) !== undefined) return;
    if (functions.describe(slug) === undefined) throw new ManagementError(404, 'Function not found');
    throw new ManagementError(
      409,
      `${slug} isn't deployed. It is served from supabase/functions in the server's project folder, so change it there.`,
    );
  }

  function find(slug: string): FunctionFields | undefined {
    const version = deployments.find(slug);
    if (version !== undefined) return deployedFields(version);
    const facts = functions.describe(slug);
    return facts && folderFields(facts);
  }

  async function deploy(
    { slug, metadata, files, bundleOnly }: InputOf<'deployFunction'>,
    caller: Caller,
  ): Promise<FunctionFields> {
    const deployment = {
      slug,
      name: metadata.name ?? undefined,
      entrypointPath: metadata.entrypoint_path,
      importMapPath: metadata.import_map_path || undefined,
      verifyJwt: metadata.verify_jwt ?? undefined,
      files,
    };
    const version = await change(() => deployments.deploy(deployment, bundleOnly));
    const { version: number, sha256 } = version;
    const detail = { version: number, sha256, verify_jwt: version.verifyJwt, ...detailOf(caller) };
    await audit(caller, bundleOnly ? 'function.upload' : 'function.deploy', slug, detail);
    return deployedFields(version);
  }

  const single = (slug: string, body: string, given: { name?: string; verify_jwt?: boolean }) => ({
    slug,
    bundleOnly: false,
    metadata: { entrypoint_path: singleFile, name: given.name, verify_jwt: given.verify_jwt },
    files: [{ path: singleFile, content: Buffer.from(body) }],
  });

  return {
    listFunctions: [
      'read',
      () =>
        [...new Set([...functions.list(), ...deployments.list().map(({ slug }) => slug)])]
          .sort()
          .map(find)
          .filter((each) => each !== undefined),
    ],
    getFunction: [
      'read',
      ({ slug }) => {
        const found = find(slug);
        if (found === undefined) throw new ManagementError(404, 'Function not found');
        return found;
      },
    ],
    getFunctionFiles: [
      'read',
      async ({ slug }, { operator }) => {
        requireDeployed(slug);
        const version = deployments.find(slug);
        const files = await deployments.files(slug);
        return {
          entrypointPath: version?.entrypointPath,
          files: may(operator.role, 'secrets') ? files : files.map((file) => redactFile(file, redact)),
        };
      },
    ],
    deployFunction: ['write', deploy],
    createFunction: [
      'write',
      ({ slug, body, ...given }, caller) => {
        if (deployments.find(slug) !== undefined)
          throw new ManagementError(400, `Duplicated function slug: ${slug}`);
        return deploy(single(slug, body, given), caller);
      },
    ],
    activateFunctions: [
      'write',
      async ({ functions: wanted }, caller) => {
        const kept = wanted.filter(({ status }) => status !== 'REMOVED');
        const versions = await change(() =>
          deployments.activate(kept.map(({ ezbr_sha256: sha256, ...version }) => ({ ...version, sha256 }))),
        );
        for (const { slug, version, sha256 } of versions)
          await audit(caller, 'function.deploy', slug, { version, sha256, ...detailOf(caller) });
        return { functions: versions.map(deployedFields) };
      },
    ],
    changeFunction: [
      'write',
      async ({ slug, name, body, verify_jwt }, caller) => {
        requireDeployed(slug);
        if (body !== undefined) return deploy(single(slug, body, { name, verify_jwt }), caller);
        const version = await change(() => deployments.change(slug, { name, verifyJwt: verify_jwt }));
        const detail = { version: version.version, verify_jwt: version.verifyJwt, ...detailOf(caller) };
        await audit(caller, 'function.change', slug, detail);
        return deployedFields(version);
      },
    ],
    deleteFunction: [
      'write',
      async ({ slug }, caller) => {
        await change(() => {
          if (!deployments.has(slug)) requireDeployed(slug);
          deployments.remove(slug);
        });
        await audit(caller, 'function.delete', slug, detailOf(caller));
        return { message: 'ok' };
      },
    ],
  } satisfies Partial<Handlers>;
}

function secretCalls({ functions, change, audit }: ManagementDeps) {
  const { secrets } = functions;
  return {
    listSecrets: [
      'read',
      (_input, { operator }) =>
        secrets.list().map(({ name, digest, updatedAt }) => ({
          name,
          // Hashes require the `secrets` permission, because a short secret can be guessed from its hash.
          value: may(operator.role, 'secrets') ? digest : '',
          updated_at: updatedAt,
        })),
    ],
    setSecrets: [
      'write',
      async ({ secrets: given }, caller) => {
        await change(() => secrets.set(given));
        for (const { name } of given) await audit(caller, 'secret.set', name, detailOf(caller));
      },
    ],
    unsetSecrets: [
      'write',
      async ({ names }, caller) => {
        const known = await change(() => {
          const before = new Set(secrets.list().map(({ name }) => name));
          secrets.unset(names);
          return before;
        });
        for (const name of new Set(names))
          if (known.has(name)) await audit(caller, 'secret.unset', name, detailOf(caller));
      },
    ],
  } satisfies Partial<Handlers>;
}
