import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ignoreFiles } from '../../../base/kernel/replace-file.ts';
import { type AgentFilesReport, writeAgentFiles } from '../agent-files.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { templateNames, templates } from '../core/templates.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';
import { writeTemplate } from '../template-files.ts';

export const init: Command = {
  name: 'init',
  about:
    'Creates supabase/config.toml, which is optional, in the working directory. With --template, also creates an app with\nsign-in, a table and realtime. Also writes AGENTS.md and the MCP configuration for AI agents, and editor\nsettings for Deno in supabase/functions. Existing files of agents and editors are only extended.',
  options: {
    workdir: projectOptions.workdir,
    template: {
      type: 'string',
      value: 'NAME',
      help: `Creates an app from a template: ${templateNames.join(', ')}.`,
    },
    agents: {
      type: 'boolean',
      help: 'Writes only the files for AI agents and editors, for a project that already exists.',
    },
    force: {
      type: 'boolean',
      help: "Replaces config.toml and existing files of the app. Doesn't replace the files of agents and editors.",
    },
  },
  examples: [
    ['plinth init && plinth start', 'starts a new project'],
    ['plinth init --template react', 'creates a React app and its tables'],
    ['plinth init --template ai', 'creates an app that searches texts by meaning'],
    ['plinth init --agents', 'adds AGENTS.md and the MCP configuration to an existing project'],
    ['plinth init --force', 'restores the defaults'],
  ],
  run: async (input) => {
    const projectDir = projectDirOf(input);
    if (input.flag('agents')) {
      if (input.text('template') !== undefined)
        throw new UsageError("--agents and --template can't be used together");
      reportAgentFiles(writeAgentFiles(projectDir, undefined));
      return 0;
    }
    const supabaseDir = join(projectDir, 'supabase');
    const path = join(supabaseDir, 'config.toml');
    const template = templateOf(input);
    if (existsSync(path) && !input.flag('force')) {
      throw new CommandError(`${path} already exists.`, 'Use --force to replace it.');
    }
    const keptScripts =
      template === undefined ? [] : writeTemplate(template, projectDir, { force: input.flag('force') });
    mkdirSync(supabaseDir, { recursive: true });
    const siteUrl = template === undefined ? undefined : templates[template]?.siteUrl;
    writeFileSync(path, initialConfig(basename(projectDir), siteUrl));
    ignoreFiles(supabaseDir, ignored);
    const agentFiles = writeAgentFiles(projectDir, template);
    print('Finished plinth init.');
    reportAgentFiles(agentFiles);
    if (template === undefined) print('Start the backend with "plinth start".');
    else
      print(
        `Created an app with ${templates[template]?.title}. Start it with "npm install" and "npm run dev".`,
      );
    if (keptScripts.length > 0)
      print(
        `package.json already has these scripts, which weren't changed: ${keptScripts.join(', ')}. templates/${template}/package.json in Plinth's package contains the template's scripts.`,
      );
    return 0;
  },
};

function reportAgentFiles({ written, advice }: AgentFilesReport): void {
  if (written.length > 0) print(`Wrote files for AI agents and editors: ${written.join(', ')}.`);
  else if (advice.length === 0) print('The files for AI agents and editors are complete.');
  advice.forEach(print);
}

function templateOf(input: Input): string | undefined {
  const name = input.text('template');
  if (name !== undefined && !templateNames.includes(name))
    throw new UsageError(`--template: ${name} must be one of ${templateNames.join(', ')}`);
  return name;
}

const projectDirOf = (input: Input) => resolve(input.text('workdir') ?? process.cwd());

/** The private files of upstream's CLI and of dotenv, and the secrets of functions. */
const ignored = ['.branches', '.temp', '.env.keys', '.env.local', '.env.*.local', 'functions/.env'];

/**
 * Returns the content of the config.toml that `plinth init` writes, with common settings and their defaults. Upstream's
 * CLI also accepts this file.
 */
export function initialConfig(projectId: string, siteUrl = 'http://127.0.0.1:3000'): string {
  const { port } = new URL(siteUrl);
  // Both names of this machine are allowed, because development servers print one or the other.
  const others = siteUrl.includes('localhost') ? [`http://127.0.0.1:${port}`] : [`https://127.0.0.1:${port}`];
  return `# Settings of this project, in the format of upstream's CLI. docs/config.md describes all settings.
# env(NAME) reads a value from the environment or from .env files.

project_id = ${JSON.stringify(projectId)}

[api]
# Port for all HTTP services.
port = 54321
# Schemas exposed over REST. The first is the default.
schemas = ["public", "graphql_public"]
extra_search_path = ["public", "extensions"]
max_rows = 1000
# If false, anon, authenticated and service_role need a GRANT to access new tables in public.
# auto_expose_new_tables = false

[db]
port = 54322
# PostgreSQL version of the hosted project. Plinth always runs the bundled PostgreSQL.
major_version = 17

[studio]
# Port of the Console.
port = 54323

[local_smtp]
# Port of the inbox for captured mail. Projects that run at the same time need different ports.
port = 54324

[db.seed]
enabled = true
sql_paths = ["./seed.sql"]

[storage]
file_size_limit = "50MiB"

# [storage.buckets.images]
# public = true
# allowed_mime_types = ["image/png", "image/jpeg"]
# objects_path = "./images"

[auth]
# URL of your app, which links in emails open.
site_url = ${JSON.stringify(siteUrl)}
additional_redirect_urls = ${JSON.stringify(others)}
jwt_expiry = 3600
enable_signup = true
enable_anonymous_sign_ins = false
minimum_password_length = 6

[auth.email]
enable_signup = true
# If true, users must confirm their email address before the first sign-in.
enable_confirmations = false

[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true

# [auth.external.github]
# enabled = true
# client_id = "env(GITHUB_CLIENT_ID)"
# secret = "env(GITHUB_SECRET)"

# [functions.hello]
# verify_jwt = false
`;
}
