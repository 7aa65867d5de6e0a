/**
 * A standalone REST server that can replace the PostgREST 16.2 binary. This module is the second composition root, in
 * addition to `main.ts`.
 *
 * Glossary. *Admin server*: the server for health checks and metrics on a separate port. *Reload*: rereading the
 * schema, or the configuration and the schema, while requests use the previous version.
 */
import { COMPATIBLE_VERSION } from '../../services/rest/index.ts';

export { readServerConfig, ServerConfigError } from './config.ts';
export { requestReady } from './listen.ts';
export { configText, exampleText, restDocument, schemaCacheText, settingsHelp } from './printed.ts';
export { createRestServer, type RestServer, type RestServerOptions } from './server.ts';

export const followedRelease = `PostgREST ${COMPATIBLE_VERSION}`;
