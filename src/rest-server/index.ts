/**
 * REST alone: a drop-in for the PostgREST 16.2 binary. The second composition root, beside `main.ts`.
 *
 * Glossary. *Admin server*: health and metrics, on a port of its own. *Reload*: reading configuration, or schema and
 * configuration, anew while the old ones serve.
 */
import { COMPATIBLE_VERSION } from '../rest/index.ts';

export { readServerConfig, ServerConfigError } from './config.ts';
export { restDocument, settingsHelp } from './document.ts';
export { configText, exampleText, schemaCacheText } from './dump.ts';
export { askReady } from './ready.ts';
export { createRestServer, type RestServer, type RestServerOptions } from './server.ts';

export const followedRelease = `PostgREST ${COMPATIBLE_VERSION}`;
