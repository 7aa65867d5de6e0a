/** Returns functions with the fields of upstream's Management API v1 (as used by CLI 3.1). */
import { createHash } from 'node:crypto';
import type { Keys } from '../../../../platform/keys/types.ts';
import type { DeployedVersion, FunctionFacts } from '../../../../services/functions/index.ts';

export interface FunctionFields {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: 'ACTIVE';
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly verify_jwt: boolean;
  readonly import_map: boolean;
  readonly entrypoint_path: string;
  readonly import_map_path?: string;
  readonly ezbr_sha256?: string;
  /**
   * A field that upstream's API doesn't have. The field shows whether the function was deployed or is in the server's
   * project folder.
   */
  readonly source: 'deployed' | 'project folder';
}

/**
 * Returns the URL of a file in a function. Upstream returns file URLs with paths on its build machine, so only the end
 * of the path is meaningful.
 */
const fileUrl = (path: string): string =>
  `file:///source/${path.split('/').map(encodeURIComponent).join('/')}`;

export function deployedFields(version: DeployedVersion): FunctionFields {
  const { importMapPath } = version;
  return {
    id: version.id,
    slug: version.slug,
    name: version.name,
    status: 'ACTIVE',
    version: version.version,
    created_at: version.createdAt,
    updated_at: version.updatedAt,
    verify_jwt: version.verifyJwt,
    import_map: importMapPath !== undefined,
    entrypoint_path: fileUrl(version.entrypointPath),
    ...(importMapPath === undefined ? {} : { import_map_path: fileUrl(importMapPath) }),
    ezbr_sha256: version.sha256,
    source: 'deployed',
  };
}

/**
 * Returns the fields of a function in the server's project folder. The function's ID is derived from the function's
 * name, and the version is always 1.
 */
export function folderFields({ slug, verifyJwt, entrypoint, changedAt }: FunctionFacts): FunctionFields {
  const at = Math.trunc(changedAt);
  return {
    id: uuidOf(slug),
    slug,
    name: slug,
    status: 'ACTIVE',
    version: 1,
    created_at: at,
    updated_at: at,
    verify_jwt: verifyJwt,
    import_map: false,
    entrypoint_path: fileUrl(`supabase/${entrypoint}`),
    source: 'project folder',
  };
}

/** Derives a version 8 UUID from the slug (RFC 9562, section 5.8). */
function uuidOf(slug: string): string {
  const bytes = createHash('sha256').update(`plinth function ${slug}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns a function's files in the format that upstream uses for `Accept: multipart/form-data`. */
export function filesForm(
  entrypointPath: string,
  files: readonly { readonly path: string; readonly content: Buffer }[],
  boundary: string,
): Buffer {
  const part = (headers: readonly string[], content: Buffer): Buffer[] => [
    Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ];
  const metadata = JSON.stringify({ deno2_entrypoint_path: entrypointPath });
  return Buffer.concat([
    ...part(['Content-Disposition: form-data; name="metadata"'], Buffer.from(metadata)),
    ...files.flatMap(({ path, content }) =>
      part(
        [
          `Content-Disposition: form-data; name="file"; filename="${quoted(path)}"`,
          'Content-Type: application/octet-stream',
        ],
        content,
      ),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

/** Replaces characters that aren't allowed in a quoted file name. Stored paths don't contain these characters. */
const quoted = (path: string): string => path.replace(/["\\\r\n]/g, '_');

type KeyValues = Pick<Keys, 'anonKey' | 'serviceRoleKey' | 'publishableKey' | 'secretKey'>;

/** Returns the project's API keys with the fields of upstream's Management API. */
export interface ApiKeyFields {
  readonly id: string;
  readonly name: string;
  readonly type: 'legacy' | 'publishable' | 'secret';
  /** Null unless the caller asked to reveal the secret. */
  readonly api_key: string | null;
  readonly prefix: string;
  readonly hash: string;
  readonly description: string | null;
  readonly secret_jwt_template: { readonly role: string } | null;
}

const prefixChars = { legacy: 5, publishable: 20, secret: 14 } as const;

export function apiKeyFields(keys: KeyValues, reveals: boolean): ApiKeyFields[] {
  const entry = (
    [id, name, type]: readonly [string, string, ApiKeyFields['type']],
    value: string,
    isSecret: boolean,
    description: string | null,
  ): ApiKeyFields => ({
    id,
    name,
    type,
    api_key: isSecret && !reveals ? null : value,
    // The headers of all JWTs are nearly the same, so only the end of the key distinguishes it from other keys.
    prefix: type === 'legacy' ? value.slice(-prefixChars.legacy) : value.slice(0, prefixChars[type]),
    hash: createHash('sha256').update(value).digest('base64url'),
    description,
    secret_jwt_template: isSecret ? { role: 'service_role' } : null,
  });
  return [
    entry(['anon', 'anon', 'legacy'], keys.anonKey, false, 'Legacy anon API key'),
    entry(
      ['service_role', 'service_role', 'legacy'],
      keys.serviceRoleKey,
      true,
      'Legacy service_role API key',
    ),
    entry(['publishable', 'default', 'publishable'], keys.publishableKey, false, null),
    entry(['secret', 'default', 'secret'], keys.secretKey, true, null),
  ];
}
