/** The Management API's requests: the method, path and body of each call. */
import type { ManagementCallName } from '../../main.ts';
import type { SentFile } from './encoded-files.ts';

export type CallInput = Readonly<Record<string, unknown>>;

export interface ManagementRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** JSON text or a form. */
  readonly body?: string | FormData;
  readonly accept?: string;
  /** Parses a successful response. */
  readonly read: (response: Response) => Promise<unknown>;
}

const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
};

export function requestOf(name: ManagementCallName, ref: string, input: CallInput): ManagementRequest {
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
  const requests: Readonly<Record<ManagementCallName, () => ManagementRequest>> = {
    listProjects: () => get('/v1/projects'),
    getProject: () => get(project),
    listApiKeys: () => get(`${project}/api-keys?reveal=${input.reveal === true}`),
    generateTypes: () =>
      get(
        `${project}/types/typescript?${new URLSearchParams({ included_schemas: String(input.included_schemas) })}`,
      ),
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
