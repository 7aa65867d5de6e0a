/**
 * A standalone REST server, a drop-in replacement for the PostgREST 16.2 binary. This module is the second composition
 * root, in addition to `main.ts`.
 *
 * Glossary. *Admin server*: health and metrics on a separate port. *Reload*: reads the schema, or the configuration and
 * the schema, again while requests are still served with the previous ones.
 */
import { COMPATIBLE_VERSION } from '../rest/index.ts';

export { readServerConfig, ServerConfigError } from './config.ts';
export { restDocument, settingsHelp } from './document.ts';
export { configText, exampleText, schemaCacheText } from './dump.ts';
export { requestReady } from './ready.ts';
export { createRestServer, type RestServer, type RestServerOptions } from './server.ts';

export const followedRelease = `PostgREST ${COMPATIBLE_VERSION}`;
