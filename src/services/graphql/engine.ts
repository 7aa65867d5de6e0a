/** Plans and executes GraphQL requests. This module is loaded with the first request. */
import type { Logger } from '../../base/kernel/log.ts';
import type { Database } from '../../platform/database/types.ts';
import type { EndpointCall, EndpointSpeed, RestResponse } from '../rest/index.ts';
import { createAnswer } from './answer.ts';
import { RoleSchemas } from './role-schemas.ts';
import { SchemaStore } from './schema-store.ts';
import { serve } from './serve.ts';
import type { Settings } from './settings.ts';

export interface EngineDeps {
  readonly database: Pick<Database, 'pool'>;
  readonly settings: () => Settings;
  readonly newSpeed: () => EndpointSpeed;
  readonly log: Logger;
}

export interface Engine {
  /** Answers a question of the extension's functions. */
  readonly answer: (question: string) => Promise<string>;
  /** Serves a call of `graphql_public.graphql`. Returns undefined if the function must be called. */
  readonly serve: (call: EndpointCall) => Promise<RestResponse | undefined>;
  /** Collects the catalogs again, because the database's schema may have changed. */
  invalidate(): void;
  /** Discards all plans, because they haven't been checked against changed limits. */
  clear(): void;
}

export function createEngine({ database, settings, newSpeed, log }: EngineDeps): Engine {
  const store = new SchemaStore();
  const schemas = new RoleSchemas(database.pool('authenticator'), store, log);
  return {
    answer: createAnswer({ store, settings }),
    serve: (call) => serve(call, { schemas, settings, newSpeed, log }),
    invalidate: () => schemas.invalidate(),
    clear() {
      store.clear();
      schemas.invalidate();
    },
  };
}
