/**
 * The settings that upstream's CLI 3.1 reads and writes in the hosted service's format. Each service has an object with
 * fields. The names and units of these fields differ from those of the settings in config.toml.
 */
import { authFields, emptyAuthFields } from './hosted-auth.ts';
import { at, flag, type HostedSetting, list, number } from './hosted-formats.ts';
import type { PushedSettings, PushedTemplate } from './pushed-settings.ts';

type HostedService = 'api' | 'auth' | 'storage';

type Fields = Record<string, unknown>;

/** The fields of the hosted service's storage configuration, with the corresponding settings in config.toml. */
const storageFields: Readonly<Record<string, HostedSetting>> = {
  fileSizeLimit: at('storage.file_size_limit', number),
  'features.imageTransformation.enabled': at('storage.image_transformation.enabled', flag),
  'features.s3Protocol.enabled': at('storage.s3_protocol.enabled', flag),
  'features.icebergCatalog.enabled': at('storage.analytics.enabled', flag),
  'features.icebergCatalog.maxNamespaces': at('storage.analytics.max_namespaces', number),
  'features.icebergCatalog.maxTables': at('storage.analytics.max_tables', number),
  'features.icebergCatalog.maxCatalogs': at('storage.analytics.max_catalogs', number),
  'features.vectorBuckets.enabled': at('storage.vector.enabled', flag),
  'features.vectorBuckets.maxBuckets': at('storage.vector.max_buckets', number),
  'features.vectorBuckets.maxIndexes': at('storage.vector.max_indexes', number),
};

const settings: Readonly<Record<HostedService, Readonly<Record<string, HostedSetting>>>> = {
  api: {
    db_schema: at('api.schemas', list),
    db_extra_search_path: at('api.extra_search_path', list),
    max_rows: at('api.max_rows', number),
  },
  auth: authFields,
  storage: storageFields,
};

/** Fields that are null because the pool of database connections isn't configurable. */
const poolFields = ['db_pool', 'db_pool_acquisition_timeout', 'db_pool_max_lifetime', 'db_pool_max_idletime'];

const nulls = (names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, null]));
const valueAt = (config: Readonly<Fields>, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Fields | undefined)?.[key], config);

/**
 * Returns a service's loaded settings with the field names of API version 1. Names that contain dots are returned as
 * nested objects.
 */
function fieldsOf(service: HostedService, config: Readonly<Fields>): Fields {
  const fields: Fields = {};
  for (const [name, { path, read }] of Object.entries(settings[service])) {
    const value = read(valueAt(config, path));
    if (value === undefined) continue;
    putAt(fields, name.split('.'), value);
  }
  return fields;
}

function putAt(fields: Fields, [name = '', ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) {
    fields[name] = value;
    return;
  }
  const nested = (fields[name] ?? {}) as Fields;
  fields[name] = nested;
  putAt(nested, inner, value);
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inSnakeCase = (fields: Readonly<Fields>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      isObject(value) ? inSnakeCase(value) : value,
    ]),
  );

/** Returns a service's loaded settings with the field names of API version 2, which are in snake case. */
export const hostedFields = (service: HostedService, config: Readonly<Fields>): Fields =>
  inSnakeCase(fieldsOf(service, config));

/** Flattens nested fields that have changed. The names of fields that were nested contain dots. */
const flat = (fields: Readonly<Fields>, prefix = ''): (readonly [name: string, field: unknown])[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    isObject(field) ? flat(field, `${prefix}${name}.`) : [[`${prefix}${name}`, field] as const],
  );

/**
 * Returns a service's fields, plus all other fields that upstream's CLI requires in the response. Fields that have no
 * value are null.
 */
export function completeFields(service: HostedService, config: Readonly<Fields>): Fields {
  const fields = fieldsOf(service, config);
  switch (service) {
    case 'api':
      return { ...nulls(poolFields), ...fields };
    case 'auth':
      return {
        ...nulls([...Object.keys(authFields), ...emptyAuthFields]),
        // Codes in text messages always have six digits, and a project can have up to 100 custom providers.
        ...{ sms_otp_length: 6, custom_oauth_enabled: true, custom_oauth_max_providers: 100 },
        ...fields,
      };
    case 'storage':
      return {
        ...fields,
        features: { ...(fields.features as Fields), purgeCache: { enabled: false } },
        capabilities: { list_v2: true, iceberg_catalog: false, object_versioning: false },
        external: { upstreamTarget: 'main' },
        migrationVersion: null,
      };
  }
}

/**
 * Converts changes in the hosted format to settings in config.toml. `unsupported` contains the fields that can't be
 * changed through the API. Email templates are separate, because config.toml contains the paths of their files.
 *
 * @example
 * settingsOfHosted('auth', { disable_signup: true }); // changes: auth.enable_signup = false
 */
export function settingsOfHosted(
  service: HostedService,
  fields: Readonly<Fields>,
): Omit<PushedSettings, 'skipped'> & { readonly unsupported: readonly string[] } {
  const changes: PushedSettings['changes'][number][] = [];
  const templates: PushedTemplate[] = [];
  const unsupported: string[] = [];
  for (const [name, field] of flat(fields)) {
    const known = Object.hasOwn(settings[service], name) ? settings[service][name] : undefined;
    const value = known?.write(field);
    if (known === undefined || value === undefined) unsupported.push(name);
    else if (known.path.at(-1) === 'content')
      templates.push({
        name: /^mailer_templates_(.+)_content$/.exec(name)?.[1] ?? name,
        html: String(value),
      });
    else changes.push({ path: known.path, value });
  }
  return { changes, templates, unsupported };
}
