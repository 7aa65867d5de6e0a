/**
 * Plinth's own settings, which have a separate file, `supabase/plinth.toml`, because upstream's CLI rejects unknown
 * keys in `config.toml`.
 */
import { section } from '../define.ts';
import { alerts } from './alerts.ts';
import { account, auth, branding } from './auth.ts';
import { branches } from './branches.ts';
import { backup, database, rest, safeUpdate } from './database.ts';
import { console, files, log, server, telemetry } from './server.ts';
import { edgeRuntime, graphql, jobs, realtime, storage } from './services.ts';

export const plinthSchema = section("Plinth's own settings.", {
  branding,
  account,
  auth,
  log,
  telemetry,
  alerts,
  files,
  server,
  console,
  edge_runtime: edgeRuntime,
  database,
  rest,
  graphql,
  storage,
  backup,
  branches,
  jobs,
  realtime,
  safe_update: safeUpdate,
});
