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
