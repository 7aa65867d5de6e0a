/**
 * The Management API's operations, with the permission that each one requires. The routes call these operations on
 * behalf of the owner of an access token. The command line calls these operations directly in a running server.
 */

import type { LiveConfig } from '../../../platform/config/index.ts';
import { generateTypes } from '../../../platform/database/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import { GroupError, type GroupState } from '../../../platform/group/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Finding, FindingCategory } from '../../../project/advisors/index.ts';
import type { FunctionsService } from '../../../services/functions/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { type ConfigDeps, configCalls } from './config-calls.ts';
import {
  apiKeyFields,
  deployedFields,
  type FunctionFields,
  folderFields,
  projectRefOf,
} from './core/render.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';
import type { InputOf, ManagementCallName } from './inputs.ts';
import { type SsoDeps, ssoCalls } from './sso-calls.ts';

export interface ManagementDeps extends Pick<SsoDeps, 'callService'>, Omit<ConfigDeps, 'audit'> {
  readonly database: Pick<Database, 'info'>;
  readonly config: LiveConfig;
  readonly keys: Keys;
  readonly functions: Pick<FunctionsService, 'list' | 'describe' | 'deployments' | 'secrets'>;
  /** Runs a change of the functions or their secrets, and stores it for all nodes. */
  readonly change: GroupState['change'];
  readonly apiUrl: () => string;
  readonly findings: () => Promise<readonly Finding[]>;
  /** When the project was created, in milliseconds since the epoch. */
  readonly createdAt: () => number;
  readonly audit: Audit;
}

export interface Management {
  /** Checks that the caller's role allows the call. @throws {ManagementError} if the role doesn't allow the call */
  checkRole(name: ManagementCallName, caller: Caller): void;
  /** Runs a call. @throws {ManagementError} if the role doesn't allow the call or the input is invalid */
  call(name: ManagementCallName, input: unknown, caller: Caller): Promise<unknown>;
  /**
   * Checks that a project ref is the ref of this project.
   * @throws {ManagementError} if the ref belongs to another project
   */
  checkRef(ref: string): void;
}

export function createManagement(deps: ManagementDeps): Management {
  const handlers: Handlers = {
    ...projectCalls(deps),
    ...functionCalls(deps),
    ...secretCalls(deps),
    ...configCalls(deps),
    ...advisorCalls(deps),
    ...ssoCalls({ ...deps, isEnabled: () => deps.config.current.plinth.auth.saml.enabled }),
  };
  const checkRole: Management['checkRole'] = (name, { operator }) => {
    const [requires] = handlers[name];
    if (!may(operator.role, requires))
      throw new ManagementError(403, `Forbidden resource: the role ${operator.role} doesn't allow this.`);
  };
  return {
    checkRole,
    async call(name, input, caller) {
      checkRole(name, caller);
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
        if (!(error instanceof GroupError)) throw error;
        throw new ManagementError(error.status, error.message, { cause: error, waitSeconds: 1 });
      }
    },
    checkRef(ref) {
      if (ref !== projectRefOf(deps.config.current.project_id))
        throw new ManagementError(404, 'Project not found');
    },
  };
}

function projectCalls({ config, database, keys, apiUrl, createdAt, audit }: ManagementDeps) {
  const project = () => {
    const { project_id: name } = config.current;
    const ref = projectRefOf(name);
    const version = database.info.serverVersion;
    return {
      id: ref,
      ref,
      organization_id: 'plinth',
      organization_slug: 'plinth',
      name,
      region: 'local',
      status: 'ACTIVE_HEALTHY',
      created_at: new Date(createdAt()).toISOString(),
      database: {
        host: new URL(apiUrl()).hostname,
        version: `${Math.trunc(version / 10_000)}.${version % 10_000}`,
        postgres_engine: String(Math.trunc(version / 10_000)),
        release_channel: 'ga',
      },
      /** A field that upstream's API doesn't have. */
      api_url: apiUrl(),
    };
  };
  return {
    listProjects: ['read', () => [project()]],
    getProject: ['read', () => project()],
    generateTypes: [
      'read',
      async ({ included_schemas }) => {
        const schemas = included_schemas.split(',').flatMap((name) => name.trim() || []);
        return { types: await generateTypes(database.info.url, schemas) };
      },
    ],
    listApiKeys: [
      'read',
      async ({ reveal }, caller) => {
        const reveals = reveal && may(caller.operator.role, 'own');
        if (reveals) await audit(caller, 'key.reveal', 'all', detailOf(caller));
        return apiKeyFields(keys, reveals);
      },
    ],
  } satisfies Partial<Handlers>;
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

function functionCalls({ functions, change, audit }: ManagementDeps) {
  const { deployments } = functions;

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
      async ({ slug }) => {
        requireDeployed(slug);
        const version = deployments.find(slug);
        return { entrypointPath: version?.entrypointPath, files: await deployments.files(slug) };
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
