/** Reads and writes the identity of a branch in its data folder, and derives the settings of its server from it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../base/kernel/replace-file.ts';
import { branchMarker } from '../../../base/shared/restore-markers.ts';
import type { Config } from '../../../platform/config/index.ts';
import type { BranchIdentity } from './types.ts';

export function readIdentity(dataDir: string): BranchIdentity | undefined {
  const file = join(dataDir, branchMarker);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BranchIdentity) : undefined;
}

export const writeIdentity = (dataDir: string, identity: BranchIdentity): void =>
  replaceFile(join(dataDir, branchMarker), `${JSON.stringify(identity)}\n`);

/** Turns off the hooks that send requests to other servers. Hooks that call functions in the database remain. */
const withoutRequests = (hooks: Config['auth']['hook']): Config['auth']['hook'] =>
  Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      /^https?:/i.test(hook.uri ?? '') ? { ...hook, enabled: false } : hook,
    ]),
  ) as Config['auth']['hook'];

/**
 * Returns the settings of a branch's server. It generates its own keys, so that a token of the branch isn't valid in the
 * project, and the other way around. Its functions don't get the project's secrets. It serves unencrypted HTTP, on
 * loopback.
 */
export function configOfBranch(config: Config, { projectId, apiUrl, consoleUrl }: BranchIdentity): Config {
  const { api, auth, edge_runtime: edgeRuntime, plinth, local_smtp: inbox } = config;
  const { tls } = plinth.server;
  return {
    ...config,
    project_id: projectId,
    api: { ...api, external_url: apiUrl, tls: { ...api.tls, enabled: false } },
    auth: {
      ...auth,
      external_url: undefined,
      hook: withoutRequests(auth.hook),
      jwt_secret: undefined,
      signing_keys_path: undefined,
      anon_key: undefined,
      service_role_key: undefined,
      publishable_key: undefined,
      secret_key: undefined,
    },
    edge_runtime: { ...edgeRuntime, secrets: {} },
    local_smtp: { ...inbox, enabled: true, port: 0 },
    plinth: {
      ...plinth,
      auth: {
        ...plinth.auth,
        saml: { ...plinth.auth.saml, private_key: undefined, private_key_next: undefined },
      },
      console: { ...plinth.console, url: consoleUrl, host: undefined },
      server: {
        ...plinth.server,
        host: '127.0.0.1',
        workers: 1,
        tls: { ...tls, cert: undefined, key: undefined, acme: { ...tls.acme, domains: [] } },
      },
      branches: { ...plinth.branches, max: 0 },
      telemetry: { ...plinth.telemetry, otlp_endpoint: undefined },
      database: {
        ...plinth.database,
        direct_url: undefined,
        replica_urls: undefined,
        jwt_secret_setting: false,
      },
    },
  };
}
