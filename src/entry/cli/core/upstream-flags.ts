/**
 * Flags of upstream's CLI (2.x and 3.1) for commands that Plinth also has. Plinth recognizes these flags so that
 * existing scripts work. Flags without an effect are accepted. If such a flag requests something that Plinth doesn't
 * do, a note is printed. Flags that select a different database or project are rejected.
 */

export interface UpstreamFlag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The note that is printed to stderr if the flag is used. */
  readonly note?: string;
  /** The message with which the flag is rejected. */
  readonly refuse?: string;
}

type Flags = Readonly<Record<string, UpstreamFlag>>;

const boolean: UpstreamFlag = { type: 'boolean' };
const string: UpstreamFlag = { type: 'string' };

/** The flags that all commands accept. */
const onEvery: Flags = {
  agent: string,
  'create-ticket': boolean,
  debug: boolean,
  'dns-resolver': string,
  experimental: boolean,
  'log-level': string,
  'network-id': string,
  output: { type: 'string', short: 'o' },
  'output-format': string,
  profile: string,
  yes: boolean,
};

const hosted = 'Plinth uses its own database; use the upstream CLI for a hosted project';

/** The flags of commands that upstream's CLI runs against either the local stack or a hosted project. */
const target: Flags = {
  local: boolean,
  linked: { type: 'boolean', refuse: hosted },
  remote: { type: 'string', refuse: hosted },
};

const otherDatabase: Flags = {
  ...target,
  'db-url': {
    type: 'string',
    refuse: 'Plinth uses its own database; "plinth start --database-url URL" uses another one',
  },
};

const push = 'use "plinth db push", which applies migrations to the linked server or to another database';

/**
 * The flag that enables upstream's check for objects that its comparison doesn't support. Plinth doesn't have this
 * check.
 */
const coverage: UpstreamFlag = {
  type: 'boolean',
  note: "Plinth doesn't have this check. Objects that can't be changed always cause an error",
};

const ofCommands: Readonly<Record<string, Flags>> = {
  'db diff': { 'strict-coverage': coverage },
  'db pull': {
    'strict-coverage': coverage,
    declarative: { type: 'boolean', refuse: 'only migrations can be written, not declarative schemas' },
  },
  start: {
    preview: boolean,
    mode: string,
    'service-version': { type: 'string', note: 'all services have the version included in Plinth' },
    stack: {
      type: 'string',
      refuse: 'only one Plinth can run per project folder; use --data-dir DIR for another',
    },
  },
  stop: {
    stack: {
      type: 'string',
      refuse: 'only one Plinth can run per project folder; use --data-dir DIR for another',
    },
  },
  status: {
    stack: {
      type: 'string',
      refuse: 'only one Plinth can run per project folder; use --data-dir DIR for another',
    },
  },
  init: {
    interactive: { type: 'boolean', short: 'i' },
    'use-orioledb': { type: 'boolean', note: 'the bundled PostgreSQL has only the default storage engine' },
    'with-vscode-workspace': {
      type: 'boolean',
      note: 'Plinth always writes .vscode/settings.json, which needs no workspace file',
    },
    'with-vscode-settings': { type: 'boolean' },
    'with-intellij-settings': { type: 'boolean', note: 'Plinth writes settings only for VS Code' },
  },
  'db reset': otherDatabase,
  'migration up': {
    local: boolean,
    linked: { type: 'boolean', refuse: push },
    remote: { type: 'string', refuse: push },
    'db-url': { type: 'string', refuse: push },
  },
  'migration list': target,
  'migration repair': target,
  'migration fetch': target,
  'migration down': otherDatabase,
  link: { 'skip-pooler': boolean },
  'test db': target,
  'db test': target,
  'seed buckets': target,
  'functions new': {
    auth: {
      type: 'string',
      note: 'the template is the same for every mode; set verify_jwt in config.toml instead',
    },
  },
  'functions serve': { all: boolean },
};

/** A flag that has the same effect as `--linked` if it has no value (see {@link remoteWithValue}). */
const anyRemote: UpstreamFlag = {
  type: 'string',
  refuse: 'select the project with "plinth link", and use --linked',
};

/** Returns the upstream flags that a command accepts in addition to its options. */
export function upstreamFlagsOf(
  command: string,
  own: Readonly<Record<string, { readonly short?: string }>>,
): Flags {
  const shorts = new Set(Object.values(own).map(({ short }) => short));
  const flags: Record<string, UpstreamFlag> = {};
  const remote: Flags = 'linked' in own ? { remote: anyRemote } : {};
  for (const [name, { short, ...flag }] of Object.entries({
    ...onEvery,
    ...ofCommands[command],
    ...remote,
  })) {
    if (name in own) continue;
    flags[name] = short === undefined || shorts.has(short) ? flag : { ...flag, short };
  }
  return flags;
}

/**
 * Moves the command to the start of the line. Upstream also accepts flags before the command, as in `--debug db reset`.
 *
 * @example commandFirst(['--workdir', 'app', 'db', 'reset']); // ['db', 'reset', '--workdir', 'app']
 */
export function commandFirst(args: readonly string[]): string[] {
  const valued = ['workdir', ...namesOf('string')].map((name) => `--${name}`);
  const plain = namesOf('boolean').map((name) => `--${name}`);
  let count = 0;
  for (;;) {
    const arg = args[count] ?? '';
    const [name = ''] = arg.split('=');
    if (plain.includes(name) || (valued.includes(name) && arg.includes('='))) count++;
    else if (valued.includes(name) || arg === '-o') count += 2;
    else return [...args.slice(count), ...args.slice(0, count)];
  }
}

const namesOf = (type: UpstreamFlag['type']): string[] =>
  Object.entries(onEvery).flatMap(([name, flag]) => (flag.type === type ? [name] : []));

/**
 * Adds an empty value to `--remote` if the flag has no value, because the value is optional in version 3 of upstream's
 * CLI. A database URL as the value is equivalent to `--db-url`. Without a value, `--remote` is equivalent to `--linked`
 * in commands that have the option `--linked`.
 *
 * @example
 * remoteWithValue(['db', 'reset', '--remote'], false); // ['db', 'reset', '--remote=']
 */
export function remoteWithValue(args: readonly string[], hasLinked: boolean): string[] {
  const bare = hasLinked ? '--linked' : '--remote=';
  return args.map((arg) =>
    arg === '--remote' ? bare : arg.replace(/^--remote=(?=postgres(?:ql)?:\/\/)/, '--db-url='),
  );
}

/**
 * Converts `--flag=true` and `--flag=false`, which upstream accepts, to flags without a value. For example,
 * `--backup=false` becomes `--no-backup`.
 */
export function withoutBooleanValues(args: readonly string[], booleans: ReadonlySet<string>): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return args.flatMap((arg, index) => {
    const [, name = '', value = ''] = /^--([^=]+)=(true|false|t|f|1|0)$/i.exec(arg) ?? [];
    if (index >= end || !booleans.has(name)) return [arg];
    if (/^[t1]/i.test(value)) return [`--${name}`];
    return booleans.has(`no-${name}`) ? [`--no-${name}`] : [];
  });
}
