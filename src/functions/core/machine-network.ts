/**
 * How this machine reaches the network, as far as Deno needs it to fetch modules: proxies, certificate authorities, registries.
 * Nothing else of the machine's environment reaches a function's process, and a function can't read these names.
 */

type Names = Readonly<Record<string, string | undefined>>;

/** Proxy names in both spellings, since programs disagree about them. Deno prefers capitals. */
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
const copied = [
  ...proxies,
  'NO_PROXY',
  'no_proxy',
  'NODE_USE_ENV_PROXY',
  'DENO_TLS_CA_STORE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NPM_CONFIG_REGISTRY',
  'JSR_URL',
];
/** Tokens for modules. The project may set them for Deno; the machine's own are never passed on. */
const tokens = ['DENO_AUTH_TOKENS'];
const loopback = ['localhost', '127.0.0.1', '::1'];

export interface MachineNetwork {
  readonly env: Readonly<Record<string, string>>;
  /** Names that Deno reads and the function can't. */
  readonly hidden: readonly string[];
}

/**
 * @param shell the environment that Plinth was started in.
 * @param project names that the project gives the function. They win, and the function may read them.
 * @param apiUrl `SUPABASE_URL`, which no proxy stands between.
 * @param fileOf absolute path of an existing file, as the shell would find it; else undefined.
 * @example
 * machineNetwork({ HTTPS_PROXY: 'http://proxy:3128' }, {}, 'http://127.0.0.1:54321', resolve).env.HTTPS_PROXY // 'http://proxy:3128'
 */
export function machineNetwork(
  shell: Names,
  project: Names,
  apiUrl: string,
  fileOf: (path: string) => string | undefined,
): MachineNetwork {
  const machine: Record<string, string> = { DENO_TLS_CA_STORE: 'mozilla,system' };
  for (const name of copied) {
    const value = shell[name];
    if (value !== undefined) machine[name] = value;
  }
  // npm sets its own settings for scripts under these lowercase names; Deno doesn't read them.
  const registry = shell.NPM_CONFIG_REGISTRY ?? shell.npm_config_registry;
  if (registry !== undefined) machine.NPM_CONFIG_REGISTRY = registry;
  // Deno 2.9 reads NODE_EXTRA_CA_CERTS too, but then node:https requires a permission that no flag grants.
  const certificates = shell.DENO_CERT ?? fileOf(shell.NODE_EXTRA_CA_CERTS ?? '');
  if (certificates !== undefined) machine.DENO_CERT = fileOf(certificates) ?? certificates;
  const env = { ...without(machine, project), ...direct({ ...machine, ...project }, apiUrl) };
  return {
    env,
    hidden: [...tokens, ...Object.keys(env).filter((name) => project[name] === undefined)],
  };
}

/** A name that the project spells in one case hides the machine's other spelling of it. */
function without(machine: Readonly<Record<string, string>>, project: Names): Record<string, string> {
  const given = new Set(Object.keys(project).map((name) => name.toUpperCase()));
  return Object.fromEntries(Object.entries(machine).filter(([name]) => !given.has(name.toUpperCase())));
}

/** The project's own API and what else listens on this machine are reached without the proxy. */
function direct(env: Names, apiUrl: string): Record<string, string> {
  if (!proxies.some((name) => env[name])) return {};
  const named = env.NO_PROXY ?? env.no_proxy;
  const own = [...loopback, new URL(apiUrl).hostname.replace(/^\[|\]$/g, '')];
  return { NO_PROXY: [...new Set([...(named ? named.split(',') : []), ...own])].join(',') };
}
