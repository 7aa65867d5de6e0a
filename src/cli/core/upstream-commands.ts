/** Commands of the upstream CLI (2.x and 3.1) that Plinth doesn't have, with their replacements. */

export interface Instead {
  readonly text: string;
}

const hosted = 'This command is for hosted projects. Use the upstream CLI: "npx supabase@3.1.0".';
const upstreamWorks =
  'Use the upstream CLI with a running Plinth. See "Using the upstream CLI with Plinth" in docs/compatibility.md.';

const instead: Readonly<Record<string, Instead>> = {
  'db start': { text: '"plinth start" starts the database with everything else.' },
  'db dump': { text: 'Use pg_dump with the DB_URL of "plinth status".' },
  'db pull': { text: hosted },
  'db diff': { text: upstreamWorks },
  'db query': { text: upstreamWorks },
  'db advisors': { text: upstreamWorks },
  'migration fetch': { text: hosted },
  'migration down': { text: '"plinth db reset --last N" skips the last N migrations.' },
  'migration squash': { text: 'Use pg_dump --schema-only with the DB_URL of "plinth status".' },
  inspect: { text: upstreamWorks },
  'gen keys': { text: '"plinth status" prints the keys.' },
  storage: { text: upstreamWorks },
  services: { text: 'All services are part of Plinth. "plinth --version" prints its version.' },
  'functions list': { text: 'Functions are the folders in supabase/functions.' },
  'functions deploy': {
    text: '"plinth start" and "plinth serve" serve supabase/functions, so nothing is deployed. For a hosted project, use the upstream CLI.',
  },
  ...Object.fromEntries(
    [
      'login',
      'logout',
      'projects',
      'orgs',
      'secrets',
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
      'sso',
      'config',
      'bootstrap',
      'functions delete',
      'functions download',
    ].map((name) => [name, { text: hosted }]),
  ),
};

/** Returns the replacement for the longest known command at the start of the line. */
export function insteadOf(words: readonly string[]): Instead | undefined {
  const names = [words.slice(0, 2).join(' '), words[0] ?? ''];
  return names.flatMap((name) => (Object.hasOwn(instead, name) ? [instead[name]] : []))[0];
}

/** Upstream's `start` returns when everything is ready, and scripts chain it with `&&`. */
export function asUpstreamStarts(args: readonly string[]): string[] {
  const isServer = args.some((arg) => ['--detach', '-d', '--daemon', '--help', '-h'].includes(arg));
  return args[0] === 'start' && !isServer ? ['start', '--detach', ...args.slice(1)] : [...args];
}
