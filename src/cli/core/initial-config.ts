/**
 * Returns the config.toml that `init` writes: common settings with their defaults. Upstream's CLI also accepts this
 * file.
 */
export function initialConfig(projectId: string): string {
  return `# Settings of this project, as upstream's CLI reads them. Every key: docs/config.md.
# A value env(NAME) is taken from the environment or from .env files.

project_id = ${JSON.stringify(projectId)}

[api]
# Port of everything over HTTP.
port = 54321
# Schemas with REST endpoints; the first is the default.
schemas = ["public", "graphql_public"]
extra_search_path = ["public", "extensions"]
max_rows = 1000
# False: new tables in public need a GRANT before clients see them, as on hosted projects whose default privileges are off.
# auto_expose_new_tables = false

[db]
port = 54322
# Version of the hosted project's database; what runs here is the bundled PostgreSQL.
major_version = 17

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
# Your app: where links in mails lead.
site_url = "http://127.0.0.1:3000"
additional_redirect_urls = ["https://127.0.0.1:3000"]
jwt_expiry = 3600
enable_signup = true
enable_anonymous_sign_ins = false
minimum_password_length = 6

[auth.email]
enable_signup = true
# True: an address must be confirmed before the first sign-in. The mail is in the captured inbox.
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
