/**
 * The part of the Management API that a migration needs: functions with their files, and the names of secrets. Both the
 * hosted service and Plinth implement this API. The API never returns the values of secrets.
 */
import { MigrateError } from '../errors.ts';

export interface ManagementAccess {
  /** The base URL, such as `https://api.supabase.com`. */
  readonly apiUrl: string;
  readonly projectRef: string;
  readonly accessToken: string;
}

interface FunctionInfo {
  readonly slug: string;
  readonly verifyJwt: boolean;
}

export interface FunctionFile {
  /** The file's name in the deployment. It isn't validated. */
  readonly name: string;
  readonly content: Uint8Array;
}

export interface DeployedFunction extends FunctionInfo {
  readonly entrypoint: string;
  readonly files: readonly FunctionFile[];
}

interface ManagementApi {
  listFunctions(): Promise<FunctionInfo[]>;
  readFiles(slug: string): Promise<FunctionFile[]>;
  deploy(deployed: DeployedFunction): Promise<void>;
  secretNames(): Promise<string[]>;
  setSecrets(values: Readonly<Record<string, string>>): Promise<void>;
}

const maxBodyBytes = 100 * 1024 * 1024;

export function createManagementApi({ apiUrl, projectRef, accessToken }: ManagementAccess): ManagementApi {
  const base = `${apiUrl.replace(/\/+$/, '')}/v1/projects/${encodeURIComponent(projectRef)}`;
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Response> => {
    const request = `${method} ${path}`;
    let response: Response;
    try {
      response = await fetch(`${base}${path}`, {
        ...init,
        method,
        redirect: 'error',
        headers: { authorization: `Bearer ${accessToken}`, ...(init.headers as Record<string, string>) },
      });
    } catch (error) {
      throw new MigrateError('management_rejected', { request, reason: (error as Error).message }, error);
    }
    if (!response.ok) {
      const text = (await response.text()).slice(0, 300);
      throw new MigrateError('management_rejected', { request, reason: `${response.status} ${text}` });
    }
    return response;
  };
  const jsonHeaders = { 'content-type': 'application/json' };
  return {
    async listFunctions() {
      const list = (await (await send('GET', '/functions')).json()) as {
        slug: string;
        verify_jwt?: boolean;
      }[];
      return list
        .filter(({ slug }) => isSlug(slug))
        .map(({ slug, verify_jwt }) => ({ slug, verifyJwt: verify_jwt !== false }));
    },
    async readFiles(slug) {
      const response = await send('GET', `/functions/${slug}/body`, {
        headers: { accept: 'multipart/form-data' },
      });
      if (Number(response.headers.get('content-length') ?? 0) > maxBodyBytes)
        throw new MigrateError('management_rejected', { request: slug, reason: 'the function is too large' });
      const type = response.headers.get('content-type') ?? '';
      if (!type.startsWith('multipart/form-data'))
        throw new MigrateError('management_rejected', {
          request: `GET /functions/${slug}/body`,
          reason: `the server returned ${type || 'no type'} instead of files`,
        });
      const files: FunctionFile[] = [];
      for (const [, value] of await response.formData()) {
        if (typeof value !== 'string')
          files.push({ name: value.name, content: new Uint8Array(await value.arrayBuffer()) });
      }
      return files;
    },
    async deploy({ slug, verifyJwt, entrypoint, files }) {
      const form = new FormData();
      form.set(
        'metadata',
        JSON.stringify({ name: slug, entrypoint_path: entrypoint, verify_jwt: verifyJwt }),
      );
      for (const { name, content } of files) form.append('file', new Blob([content as BlobPart]), name);
      await send('POST', `/functions/deploy?slug=${encodeURIComponent(slug)}`, { body: form });
    },
    async secretNames() {
      const list = (await (await send('GET', '/secrets')).json()) as { name: string }[];
      return list.map(({ name }) => name).sort();
    },
    async setSecrets(values) {
      const body = Object.entries(values).map(([name, value]) => ({ name, value }));
      await send('POST', '/secrets', { headers: jsonHeaders, body: JSON.stringify(body) });
    },
  };
}

/** Checks the file names of functions, which come from the source's API, before the names are used as paths. */
export const isSlug = (slug: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,99}$/.test(slug);

/**
 * Returns the path below `supabase/functions/` of a file that was deployed with a function. Returns undefined if the
 * path would lead out of `supabase/functions/`.
 *
 * @example functionPath('hello', 'supabase/functions/_shared/cors.ts'); // '_shared/cors.ts'
 * @example functionPath('hello', 'source/index.ts'); // 'hello/index.ts'
 */
export function functionPath(slug: string, name: string): string | undefined {
  const plain = name.replace(/^file:\/\//, '').replace(/^\/+/, '');
  const at = plain.lastIndexOf(`functions/${slug}/`);
  const shared = /(?:^|\/)functions\/(_[^/]+\/.+)$/.exec(plain)?.[1];
  const relative =
    at === 0 || plain[at - 1] === '/'
      ? plain.slice(at + 'functions/'.length)
      : (shared ?? `${slug}/${plain.replace(/^(source|src)\//, '')}`);
  const isSafe = relative
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..' && /^[^\\\0:]+$/.test(segment));
  return isSafe ? relative : undefined;
}
