/** Selects the settings in pushed settings files that also make sense on another server. */
import { isRecord } from '../../../../base/shared/json.ts';
import { type SettingsFile, schemaNames } from '../../../../platform/config/index.ts';

export type PushedValue = string | number | boolean | readonly string[];

export interface PushedSetting {
  readonly path: readonly string[];
  readonly value: PushedValue;
}

export interface PushedTemplate {
  /** The name of the email, such as `invite` or `password_changed_notification`. */
  readonly name: string;
  /** Empty to restore the default template. */
  readonly html: string;
}

export interface PushedSettings {
  readonly changes: readonly PushedSetting[];
  readonly templates: readonly PushedTemplate[];
  /** The keys of settings that aren't pushed although they are in a section that is pushed. */
  readonly skipped: readonly string[];
}

/**
 * The sections that describe the app rather than the machine. Those of config.toml are the sections that upstream's CLI
 * 3.1 pushes.
 */
const sections: Readonly<Record<SettingsFile, readonly string[]>> = {
  'config.toml': ['api', 'auth', 'storage'],
  'plinth.toml': ['branding', 'account', 'auth', 'graphql', 'safe_update'],
};

/** Settings for the ports, addresses, services, files and keys of the machine on which the file was written. */
const ofMachine: Readonly<Record<SettingsFile, RegExp>> = {
  'config.toml':
    /^(?:api\.(?:enabled|port|external_url|tls\..+)|auth\.(?:enabled|external_url|signing_keys_path)|storage\.(?:enabled|buckets\..+)|.+\.(?:content_path|logo|logo_path))$/,
  'plinth.toml':
    /^(?:branding\.logo_path|auth\.saml\.(?:external_url|private_key|private_key_next)|auth\.password\.hibp\.list_path)$/,
};

/** The URL of a service on the machine on which the file was written, such as the app's development server. */
const ownAddress = /^[a-z][a-z\d+.-]*:\/\/(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])(?:[:/]|$)/i;

/** The settings whose value is the path to an email template. The template is pushed in place of the path. */
const templatePath = /^auth\.email\.(template|notification)\.(\w+)\.content_path$/;

/** Returns the name of the email to which the path of a setting belongs, or undefined for other settings. */
function emailOf(key: string): string | undefined {
  const [, kind, name] = templatePath.exec(key) ?? [];
  return kind === 'notification' ? `${name}_notification` : name;
}

/** Whether a text, or each text in a list, is a URL on the machine on which the file was written. */
function isOwnAddress(value: PushedValue): boolean {
  const texts = Array.isArray(value) ? value : [value];
  return texts.length > 0 && texts.every((text) => ownAddress.test(String(text)));
}

/**
 * Returns the settings to push from one file.
 *
 * @param table the parsed file
 * @param html the HTML of the templates by the name of the email
 * @example
 * pushedSettings('config.toml', { api: { port: 1, max_rows: 10 } }); // changes: api.max_rows, skipped: api.port
 */
export function pushedSettings(
  file: SettingsFile,
  table: Readonly<Record<string, unknown>>,
  html: Readonly<Record<string, string>> = {},
): PushedSettings {
  const leaves = sections[file].flatMap((section) =>
    Object.hasOwn(table, section) ? leavesOf([section], table[section]) : [],
  );
  const changes: PushedSetting[] = [];
  const templates: PushedTemplate[] = [];
  const skipped: string[] = [];
  for (const { path, value } of leaves) {
    const key = path.join('.');
    const email = file === 'config.toml' ? emailOf(key) : undefined;
    const sent =
      value === '' ? '' : email !== undefined && Object.hasOwn(html, email) ? html[email] : undefined;
    if (email !== undefined && sent !== undefined) templates.push({ name: email, html: sent });
    else if (isValue(value) && !ofMachine[file].test(key) && !isOwnAddress(value))
      changes.push({ path, value });
    else skipped.push(key);
  }
  return { changes, templates, skipped };
}

/**
 * Returns a parsed config.toml with the settings for one project, in which the values in `[remotes.NAME]` replace the
 * others. As in upstream's CLI, `project_id` selects the table.
 *
 * @param ref the ref of the project that receives the settings
 * @example
 * forProject({ auth: { site_url: 'http://localhost:3000' }, remotes: { live: { project_id: ref, auth: { site_url } } } }, ref);
 */
export function forProject(
  table: Readonly<Record<string, unknown>>,
  ref: string,
): Readonly<Record<string, unknown>> {
  const { remotes, ...shared } = table;
  const own = isRecord(remotes)
    ? Object.values(remotes).find((remote) => isRecord(remote) && remote.project_id === ref)
    : undefined;
  return isRecord(own) ? merged(shared, schemaNames('config.toml', own)) : shared;
}

function merged(
  below: Readonly<Record<string, unknown>>,
  above: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = Object.hasOwn(below, name) ? below[name] : undefined;
    result[name] = isRecord(before) && isRecord(value) ? merged(before, value) : value;
  }
  return result;
}

function leavesOf(path: readonly string[], value: unknown): { path: readonly string[]; value: unknown }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
    return [{ path, value }];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf([...path, name], inner));
}

const isValue = (value: unknown): value is PushedValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
