/**
 * Collects the network settings that Deno needs to download modules: proxies, certificate authorities and registries.
 * No other environment variables of the machine are passed to a function's process, and the function can't read the
 * network settings.
 */

type Names = Readonly<Record<string, string | undefined>>;

/**
 * The variables for proxies. Some programs expect these names in uppercase, and others expect them in lowercase. Deno
 * prefers uppercase.
 */
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
/**
 * Tokens for private modules. Only the project can set these tokens, because the machine's own tokens are never passed
 * to functions.
 */
const tokens = ['DENO_AUTH_TOKENS'];
const loopback = ['localhost', '127.0.0.1', '::1'];

export interface MachineNetwork {
  readonly env: Readonly<Record<string, string>>;
  /** Environment variables that Deno reads but that are hidden from the function. */
  readonly hidden: readonly string[];
}

/**
 * Returns the environment variables that configure Deno's network access.
 * @param shell The environment in which Plinth was started.
 * @param project The variables that the project sets for the function. These variables take precedence, and the
 * function can read them.
 * @param apiUrl The value of `SUPABASE_URL`. Requests to this URL don't use a proxy.
 * @param fileOf Returns the absolute path to a file. Returns undefined if the file doesn't exist.
 * @example machineNetwork({ HTTPS_PROXY: 'http://proxy:3128' }, {}, 'http://127.0.0.1:54321', resolve).env.HTTPS_PROXY
 *   // 'http://proxy:3128'
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
  // npm sets variables with lowercase names for its scripts, but Deno reads only uppercase names.
  const registry = shell.NPM_CONFIG_REGISTRY ?? shell.npm_config_registry;
  if (registry !== undefined) machine.NPM_CONFIG_REGISTRY = registry;
  // Deno 2.9 can also read NODE_EXTRA_CA_CERTS, but if that variable is set, node:https requires a permission that no
  // flag can grant.
  const certificates = shell.DENO_CERT ?? fileOf(shell.NODE_EXTRA_CA_CERTS ?? '');
  if (certificates !== undefined) machine.DENO_CERT = fileOf(certificates) ?? certificates;
  const env = { ...without(machine, project), ...direct({ ...machine, ...project }, apiUrl) };
  return {
    env,
    hidden: [...tokens, ...Object.keys(env).filter((name) => project[name] === undefined)],
  };
}

/** Removes the machine's variables that the project also sets. Names are compared without regard to case. */
function without(machine: Readonly<Record<string, string>>, project: Names): Record<string, string> {
  const given = new Set(Object.keys(project).map((name) => name.toUpperCase()));
  return Object.fromEntries(Object.entries(machine).filter(([name]) => !given.has(name.toUpperCase())));
}

/** Returns proxy exceptions for the project's own API and for other local services. */
function direct(env: Names, apiUrl: string): Record<string, string> {
  if (!proxies.some((name) => env[name])) return {};
  const named = env.NO_PROXY ?? env.no_proxy;
  const own = [...loopback, new URL(apiUrl).hostname.replace(/^\[|\]$/g, '')];
  return { NO_PROXY: [...new Set([...(named ? named.split(',') : []), ...own])].join(',') };
}
