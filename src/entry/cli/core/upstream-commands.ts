/** Commands of upstream's CLI (2.x and 3.1) that Plinth doesn't have, with their replacements in Plinth. */

export interface Instead {
  readonly text: string;
}

const hosted = 'This command is for hosted projects. Use the upstream CLI: "npx supabase@3.1.0".';
const own: Readonly<Record<string, string>> = {
  login: 'For a Plinth server, run "plinth link URL" with an access token.',
  projects: 'For a Plinth server, "plinth link URL" finds the project.',
  'config diff': '"plinth config push" shows the differences and asks before it changes anything.',
  'config pull':
    '"plinth config push" pushes settings. To view a server\'s settings, open the Settings page of its Console.',
  'inspect db': '"plinth inspect" lists the reports that Plinth has.',
  logs: 'Open the Logs page of the Console, or read .plinth/logs/plinth.log.',
  pull: 'Use "plinth db pull" and "plinth functions download" instead.',
  telemetry: "Plinth doesn't send usage data.",
  whoami: '"plinth operators token list" lists access tokens and their operators.',
};
const instead: Readonly<Record<string, Instead>> = {
  'db start': { text: '"plinth start" starts the database with everything else.' },
  'gen keys': { text: '"plinth status" prints the keys.' },
  services: { text: 'All services are part of Plinth. "plinth --version" prints the version of Plinth.' },
  ...Object.fromEntries(
    [
      'login',
      'logout',
      'projects',
      'orgs',
      'branches',
      'domains',
      'vanity-subdomains',
      'ssl-enforcement',
      'network-bans',
      'network-restrictions',
      'encryption',
      'postgres-config',
      'backups',
      'snippets',
      'bootstrap',
      'feedback',
      'issue',
      'notebooks',
    ].map((name) => [name, { text: hosted }]),
  ),
  ...Object.fromEntries(
    Object.entries(own).map(([name, text]) => [
      name,
      { text: /^(login|projects)$/.test(name) ? `${text} ${hosted}` : text },
    ]),
  ),
};

/**
 * Returns the replacement for the longest known command at the start of the line, or undefined if no command matches.
 */
export function insteadOf(words: readonly string[]): Instead | undefined {
  const names = [words.slice(0, 2).join(' '), words[0] ?? ''];
  return names.flatMap((name) => (Object.hasOwn(instead, name) ? [instead[name]] : []))[0];
}

/**
 * Converts the arguments of scripts that call `supabase` to arguments with the same effect in Plinth. The converted
 * `start` returns once all services are ready. The converted `db dump` writes only the schema, or with `--data-only`,
 * writes rows as INSERT statements unless COPY is requested. Commands that upstream has only for a project on a server
 * use the linked server.
 */
export function asUpstream(args: readonly string[]): string[] {
  return asUpstreamTargets(asUpstreamDumps(asUpstreamStarts(args)));
}

/** The commands that upstream's CLI always runs against the linked project. */
const ofServer =
  /^(?:functions (?:list|deploy|delete|download)|secrets (?:list|set|unset)|config push|sso \w+)$/;
const targets = ['--local', '--linked', '--remote', '--project-ref', '--help', '-h'];

function asUpstreamTargets(args: readonly string[]): string[] {
  const isChosen = args.some((arg) => targets.includes(arg.split('=', 1)[0] ?? ''));
  const [group = '', command = ''] = args;
  return ofServer.test(`${group} ${command}`) && !isChosen
    ? [group, command, '--linked', ...args.slice(2)]
    : [...args];
}

function asUpstreamDumps(args: readonly string[]): string[] {
  if (args[0] !== 'db' || args[1] !== 'dump') return [...args];
  const has = (name: string): boolean => args.some((arg) => arg === name || arg === `${name}=true`);
  if (has('--data-only')) return has('--use-copy') ? [...args] : [...args, '--inserts'];
  return has('--role-only') || has('--schema-only') ? [...args] : [...args, '--schema-only'];
}

/**
 * Makes `start` return once all services are ready, like upstream's command. Scripts rely on this when they chain
 * `start` with `&&`.
 */
export function asUpstreamStarts(args: readonly string[]): string[] {
  const isServer = args.some((arg) => ['--detach', '-d', '--daemon', '--help', '-h'].includes(arg));
  return args[0] === 'start' && !isServer ? ['start', '--detach', ...args.slice(1)] : [...args];
}
