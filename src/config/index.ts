/**
 * The configuration: one schema, one loader. The only room that reads `process.env`.
 *
 * @example
 * const { config, environment, warnings, supabaseDir } = loadConfig({ projectDir: '/work/app' });
 */
export type { Config } from './schema/index.ts';
