/** Calls the Management API of the server that runs in this folder or of a remote server. */
import type { ManagementCallName } from '../../main.ts';
import type { Running } from '../control.ts';
import { CommandError } from '../errors.ts';
import { decodeFiles, encodeFiles, type SentFile } from './encoded-files.ts';

export interface ManagementClient {
  readonly consoleUrl: string;
  readonly ref: string;
  /** Calls the API. @throws {CommandError} with the error message from the server */
  call<T>(name: ManagementCallName, input?: CallInput): Promise<T>;
}

export interface RemoteTarget {
  /** The Console's origin. */
  readonly url: string;
  readonly ref: string;
  readonly token: string;
}

/**
 * Returns a client for the process that runs in this folder, or for a branch of it. The client has all permissions.
 */
export async function localClient(running: Running, branchRef?: string): Promise<ManagementClient> {
  const call = async <T>(name: ManagementCallName, input: CallInput = {}): Promise<T> =>
    decodeFiles(await running.call('manage', { name, input: encodeFiles(input), ref: branchRef })) as T;
  const [{ ref }, { STUDIO_URL = '' }] = await Promise.all([
    call<{ ref: string }>('getProject'),
    running.call<Record<string, string>>('status'),
  ]);
  return { consoleUrl: STUDIO_URL, ref, call };
}

export function remoteClient({ url, ref, token }: RemoteTarget): ManagementClient {
  return {
    consoleUrl: url,
    ref,
    call: async <T>(name: ManagementCallName, input: CallInput = {}): Promise<T> =>
      (await send(url, token, requestOf(name, ref, input))) as T,
  };
}

/** Finds the project on the server. @throws {CommandError} if the server can't be reached or rejects the token */
export async function findRemote(
  url: string,
  token: string,
): Promise<{ readonly ref: string; readonly name: string }> {
  const projects = await send(url, token, requestOf('listProjects', '', {}));
  const [project] = Array.isArray(projects) ? (projects as { ref: string; name: string }[]) : [];
  if (project === undefined) throw new CommandError(`${url} isn't the Console of a Plinth server.`);
  return project;
}

async function send(
  origin: string,
  token: string,
  { method, path, body, accept, headers, read }: ReturnType<typeof requestOf>,
): Promise<unknown> {
  let failure: readonly [string, ...string[]];
  let status: number;
  try {
    const response = await fetch(new URL(path, origin), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(accept === undefined ? {} : { accept }),
        ...headers,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      // Rejects redirects, because the token must be sent only to the selected server.
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
    });
    if (response.ok) return await read(response);
    status = response.status;
    failure = await describe(origin, response);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new CommandError(`${origin} isn't the Console of a Plinth server.`);
    const { message, cause } = error as Error & { cause?: Error };
    throw new ConnectionLost(`${origin} can't be reached: ${cause?.message || message}`);
  }
  if (gatewayErrors.has(status)) throw new ConnectionLost(...failure);
  if (status === 403) throw new ForbiddenCall(...failure);
  throw new CommandError(...failure);
}

/**
 * The server can't be reached, or the connection was lost before the complete response arrived. The server may have
 * run the call.
 */
export class ConnectionLost extends CommandError {}

/** The role of the access token's owner doesn't allow the call. */
export class ForbiddenCall extends CommandError {}

/** The statuses with which a proxy responds if the server doesn't respond in time. */
const gatewayErrors = new Set([502, 503, 504]);

async function describe(origin: string, response: Response): Promise<[string, ...string[]]> {
  const text = await response.text();
  let message = `${origin} responded with status ${response.status}.`;
  try {
    message = (JSON.parse(text) as { message?: string }).message ?? message;
  } catch {
    // A response that isn't JSON is from another server, such as a proxy.
  }
  // The router's message. The messages of operations name the object that doesn't exist.
  if (response.status === 404 && message === 'Not Found')
    return [
      `${origin} doesn't support this command.`,
      'The server runs an older version of Plinth. Upgrade it, or use --db-url with the URL of its database.',
    ];
  if (response.status === 404 && message === 'Project not found')
    return [
      `${origin} has no project or branch with this ref.`,
      'Run "plinth branch list --linked" to see the refs. For a hosted project, use the upstream CLI.',
    ];
  if (response.status !== 401 || message !== 'Unauthorized') return [message];
  return [
    'The access token is invalid or was revoked.',
    'Create one on the server with "plinth operators token create NAME", and run "plinth link URL".',
  ];
}

type CallInput = Readonly<Record<string, unknown>>;

interface ManagementRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** JSON text or a form. */
  readonly body?: string | FormData;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parses a successful response. */
  readonly read: (response: Response) => Promise<unknown>;
}

const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
};

/** The Management API's requests: the method, path and body of each call. */
function requestOf(name: ManagementCallName, ref: string, input: CallInput): ManagementRequest {
  const project = `/v1/projects/${encodeURIComponent(ref)}`;
  const functions = `${project}/functions`;
  const { slug, ...rest } = input;
  const one = `${functions}/${encodeURIComponent(String(slug))}`;
  const providers = `${project}/config/auth/sso/providers`;
  const oneProvider = `${providers}/${encodeURIComponent(String(input.id))}`;
  const hostedService = `${project}/${input.service === 'api' ? 'postgrest' : `config/${input.service}`}`;
  const get = (path: string): ManagementRequest => ({ method: 'GET', path, read: readJson });
  const change = (method: ManagementRequest['method'], path: string, body?: unknown): ManagementRequest => ({
    method,
    path,
    read: readJson,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const branch = `/v1/branches/${encodeURIComponent(String(input.id))}`;
  const database = `${project}/database`;
  const migrations = `${database}/migrations`;
  const migrate = (method: 'POST' | 'PUT'): ManagementRequest => {
    const { idempotency_key: key, ...migration } = input;
    return {
      ...change(method, migrations, migration),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': String(key) } }),
    };
  };
  const logs = (): ManagementRequest => {
    const { isUnified, ...filter } = input;
    const path = `${project}/analytics/endpoints/${isUnified === false ? 'logs.all' : 'logs'}`;
    return get(`${path}?${new URLSearchParams(filter as Record<string, string>)}`);
  };
  const requests: Readonly<Record<ManagementCallName, () => ManagementRequest>> = {
    listOrganizations: () => get('/v1/organizations'),
    getOrganization: () => get(`/v1/organizations/${encodeURIComponent(String(slug))}`),
    getProfile: () => get('/v1/profile'),
    listProjects: () => get('/v1/projects'),
    getProject: () => get(project),
    listApiKeys: () => get(`${project}/api-keys?reveal=${input.reveal === true}`),
    generateTypes: () => {
      const { language = 'typescript', ...query } = input;
      return get(`${project}/types/${language}?${new URLSearchParams(query as Record<string, string>)}`);
    },
    getLegacyKeys: () => get(`${project}/api-keys/legacy`),
    runQuery: () => change('POST', `${database}/query`, input),
    runScript: () => change('POST', `${database}/query/results`, input),
    readSchema: () => get(`${database}/schema`),
    readReport: () => get(`${database}/reports/${encodeURIComponent(String(input.name))}`),
    lintDatabase: () => {
      const schemas = (input.schemas as readonly string[]).map((schema): [string, string] => [
        'schema',
        schema,
      ]);
      return get(`${database}/lint?${new URLSearchParams(schemas)}`);
    },
    runTest: () => change('POST', `${database}/tests`, input),
    listMigrations: () => get(migrations),
    applyMigration: () => migrate('POST'),
    recordMigration: () => migrate('PUT'),
    pushMigration: () => {
      const { version, ...migration } = input;
      return change('PUT', `${migrations}/${encodeURIComponent(String(version))}`, migration);
    },
    getMigration: () => get(`${migrations}/${encodeURIComponent(String(input.version))}`),
    readHistory: () => get(`${database}/history`),
    changeHistory: () => change('PATCH', `${database}/history`, input),
    listSeeds: () => get(`${database}/seeds`),
    pushSeed: () => change('POST', `${database}/seeds`, input),
    pushRoles: () => change('POST', `${database}/roles`, input),
    storeVaultSecrets: () => change('POST', `${database}/vault`, input),
    queryLogs: logs,
    listBuckets: () => get(`${project}/storage/buckets`),
    saveBucket: () => {
      const { name: bucket, ...settings } = input;
      return change('PUT', `${project}/storage/buckets/${encodeURIComponent(String(bucket))}`, settings);
    },
    listBranches: () => get(`${project}/branches`),
    createBranch: () => change('POST', `${project}/branches`, input),
    findBranch: () => get(`${project}/branches/${encodeURIComponent(String(input.name))}`),
    getBranch: () => get(branch),
    changeBranch: () => change('PATCH', branch, input),
    deleteBranch: () => change('DELETE', branch),
    resetBranch: () => change('POST', `${branch}/reset`, input),
    pushBranch: () => change('POST', `${branch}/push`, {}),
    mergeBranch: () => change('POST', `${branch}/merge`, input),
    planMerge: () => get(`${branch}/merge`),
    diffBranch: () => ({
      ...get(
        `${branch}/diff?${new URLSearchParams({ included_schemas: String(input.included_schemas ?? '') })}`,
      ),
      read: async (response) => ({ sql: await response.text() }),
    }),
    diffBranchData: () => get(`${branch}/diff/data`),
    listFunctions: () => get(functions),
    getFunction: () => get(one),
    getFunctionFiles: () => ({
      ...get(`${one}/body`),
      accept: 'multipart/form-data',
      read: readFiles,
    }),
    deployFunction: () => {
      const query = new URLSearchParams({
        slug: String(slug),
        bundleOnly: String(input.bundleOnly === true),
      });
      return { ...change('POST', `${functions}/deploy?${query}`), body: formOf(input) };
    },
    createFunction: () => change('POST', functions, input),
    activateFunctions: () => change('PUT', functions, input.functions),
    changeFunction: () => change('PATCH', one, rest),
    deleteFunction: () => change('DELETE', one),
    listAddons: () => get(`${project}/billing/addons`),
    getHostedConfig: () => get(`/v2/projects/${encodeURIComponent(ref)}/config`),
    getHostedService: () => get(hostedService),
    changeHostedService: () => change('PATCH', hostedService, input.fields),
    pushConfig: () => change('PATCH', `${project}/config`, input),
    securityAdvisors: () => get(`${project}/advisors/security`),
    performanceAdvisors: () => get(`${project}/advisors/performance`),
    listSsoProviders: () => get(providers),
    getSsoProvider: () => get(oneProvider),
    createSsoProvider: () => change('POST', providers, input.provider),
    changeSsoProvider: () => change('PUT', oneProvider, input.changes),
    removeSsoProvider: () => change('DELETE', oneProvider),
    listSecrets: () => get(`${project}/secrets`),
    setSecrets: () => change('POST', `${project}/secrets`, input.secrets),
    unsetSecrets: () => change('DELETE', `${project}/secrets`, input.names),
  };
  return requests[name]();
}

function formOf({ metadata, files }: CallInput): FormData {
  const form = new FormData();
  form.set('metadata', JSON.stringify(metadata));
  for (const { path, content } of files as readonly SentFile[])
    form.append('file', new Blob([new Uint8Array(content)]), path);
  return form;
}

async function readFiles(response: Response): Promise<unknown> {
  const form = await response.formData();
  const metadata = form.get('metadata');
  const files: SentFile[] = [];
  for (const value of form.getAll('file'))
    if (typeof value !== 'string')
      files.push({ path: value.name, content: Buffer.from(await value.arrayBuffer()) });
  const { deno2_entrypoint_path: entrypointPath } = JSON.parse(String(metadata)) as Record<string, string>;
  return { entrypointPath, files };
}
