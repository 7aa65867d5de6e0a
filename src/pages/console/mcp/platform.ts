/** Implements the platform interface of upstream's MCP server with the Management API's calls in this process. */
import type { ExecuteSqlOptions, SupabasePlatform } from '@supabase/mcp-server-supabase/platform';
import { createRedact, redactFile } from '../functions/redact.ts';
import { ManagementError } from '../management/handlers.ts';
import type { ManagementCallName } from '../management/inputs.ts';
import { databaseRoleOf } from '../persona/act.ts';
import { saveInFolder } from './function-folder.ts';
import { listTables, schemaFilterOf } from './tables.ts';
import type { FunctionFile, McpDeps, McpSession } from './types.ts';

type GetLogs = NonNullable<SupabasePlatform['debugging']>['getLogs'];
type LogService = Parameters<GetLogs>[1]['service'];

/** The log source of each service that `get_logs` can select. */
const logSources: Readonly<Record<LogService, string | undefined>> = {
  api: 'edge_logs',
  'branch-action': undefined,
  postgres: 'postgres_logs',
  'edge-function': 'function_edge_logs',
  'edge-function-runtime': 'function_logs',
  auth: 'auth_logs',
  storage: 'storage_logs',
  realtime: 'realtime_logs',
};

interface FunctionFields {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: string;
  readonly version: number;
  readonly entrypoint_path: string;
  readonly import_map_path?: string;
  readonly verify_jwt: boolean;
  /** `deployed` or `project folder`. */
  readonly source: string;
}

const asText = ({ path, content }: FunctionFile) => ({ name: path, content: content.toString() });

export function createPlatform(
  {
    database,
    management,
    apiUrl,
    config,
    keys,
    functionFolder,
  }: Pick<McpDeps, 'database' | 'management' | 'apiUrl' | 'config' | 'keys' | 'functionFolder'>,
  { caller, isReadOnly, branchRef }: McpSession,
  /** Adds a text for the agent to the result of the current call. */
  note: (text: string) => void,
): SupabasePlatform {
  const call = async <T>(name: ManagementCallName, input: object = {}): Promise<T> =>
    (await management.call(name, input, caller, branchRef)) as T;
  /** Upstream's tools already reject changes in read-only sessions. This check doesn't depend on them. */
  const change = async <T>(name: ManagementCallName, input: object): Promise<T> => {
    if (isReadOnly) throw new ManagementError(403, 'This session is read-only.');
    return await call<T>(name, input);
  };

  const redact = createRedact(keys);
  /** A session with changes needs the real source, because it can deploy a changed version of it. */
  const shown = (file: FunctionFile) => asText(isReadOnly ? redactFile(file, redact) : file);

  const logs: GetLogs = (_id, { service, ...window }) => {
    const source = logSources[service];
    if (source === undefined) throw new ManagementError(400, `Plinth has no logs of the service ${service}.`);
    return call('queryLogs', { sql: `select * from ${source} order by timestamp desc limit 100`, ...window });
  };

  return {
    database: {
      async executeSql<T>(_id: string, { query, parameters, read_only: wanted }: ExecuteSqlOptions) {
        const filter = schemaFilterOf(query, parameters);
        // The shortcut reads this project's database, and not that of a branch.
        if (filter === undefined || branchRef !== undefined)
          return await call<T[]>('runQuery', { query, parameters, read_only: isReadOnly || wanted === true });
        const role = databaseRoleOf('read-only');
        return (await database
          .pool(role)
          .transaction((tx) => listTables(tx, filter), { readOnly: true })) as T[];
      },
      listMigrations: () => call('listMigrations'),
      applyMigration: (_id, { name, query }) => change('applyMigration', { name, query }),
    },
    debugging: {
      logsDialect: 'clickhouse',
      getLogs: logs,
      queryLogs: (_id, query) => call('queryLogs', query),
      getSecurityAdvisors: () => call('securityAdvisors'),
      getPerformanceAdvisors: () => call('performanceAdvisors'),
    },
    development: {
      getProjectUrl: async () =>
        branchRef === undefined ? apiUrl() : (await call<{ readonly api_url: string }>('getProject')).api_url,
      async getPublishableKeys() {
        const keys =
          await call<
            readonly {
              readonly id: string;
              readonly name: string;
              readonly type: string;
              readonly api_key: string | null;
              readonly description: string | null;
            }[]
          >('listApiKeys');
        return keys.flatMap(({ id, name, type, api_key: key, description }) =>
          key === null
            ? []
            : {
                id,
                name,
                api_key: key,
                type: type === 'publishable' ? ('publishable' as const) : ('legacy' as const),
                disabled: false,
                ...(description === null ? {} : { description }),
              },
        );
      },
      generateTypescriptTypes: () => call('generateTypes'),
    },
    functions: {
      listEdgeFunctions: async () => (await call<FunctionFields[]>('listFunctions')).map(withPaths),
      async getEdgeFunction(_id, slug) {
        const fields = await call<FunctionFields>('getFunction', { slug });
        const saved = fields.source === 'project folder' ? await functionFolder?.read(slug) : undefined;
        if (saved !== undefined) return { ...fields, entrypoint_path: 'index.ts', files: saved.map(shown) };
        const found = withPaths(fields);
        const { files } = await call<{
          readonly files: readonly FunctionFile[];
        }>('getFunctionFiles', { slug });
        return { ...found, files: files.map(shown) };
      },
      async deployEdgeFunction(_id, { name, entrypoint_path, import_map_path, verify_jwt, files }) {
        const importMap =
          import_map_path ?? files.find((file) => ['deno.json', 'import_map.json'].includes(file.name))?.name;
        const sent = files.map((file) => ({ path: file.name, content: Buffer.from(file.content) }));
        const deployed = await change<FunctionFields>('deployFunction', {
          slug: name,
          metadata: { name, entrypoint_path, import_map_path: importMap, verify_jwt },
          files: sent,
        });
        if (functionFolder !== undefined) {
          const saved = await saveInFolder(functionFolder, config.current.functions[name], {
            slug: name,
            entrypointPath: entrypoint_path,
            importMapPath: importMap,
            verifyJwt: deployed.verify_jwt,
            files: sent,
          });
          if (saved.isServed) await change('deleteFunction', { slug: name });
          note(saved.note);
        }
        return withPaths(deployed);
      },
    },
    branching: {
      listBranches: () => call('listBranches'),
      // Plinth's own tool creates branches, because upstream's asks for a confirmation of the price.
      createBranch: (_id, { name }) => change('createBranch', { branch_name: name }),
      async deleteBranch(id) {
        await change('deleteBranch', { id });
      },
      async mergeBranch(id) {
        await change('mergeBranch', { id });
      },
      async resetBranch(id, { migration_version }) {
        await change('resetBranch', { id, migration_version });
      },
      async rebaseBranch(id) {
        await change('pushBranch', { id });
      },
    },
    storage: {
      listAllBuckets: () => call('listBuckets'),
      getStorageConfig: () => call('getHostedService', { service: 'storage' }),
      async updateStorageConfig(_id, fields) {
        await change('changeHostedService', { service: 'storage', fields });
      },
    },
  };
}

/** Returns the function with plain paths instead of file URLs. */
function withPaths(fields: FunctionFields): FunctionFields {
  const { entrypoint_path: entrypoint, import_map_path: importMap } = fields;
  return {
    ...fields,
    entrypoint_path: pathOf(entrypoint),
    ...(importMap === undefined ? {} : { import_map_path: pathOf(importMap) }),
  };
}

const pathOf = (url: string): string => decodeURIComponent(new URL(url).pathname).replace(/^\/source\//, '');
