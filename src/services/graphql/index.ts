/**
 * The GraphQL service, which is compatible with pg_graphql 1.6. Requests to `/graphql/v1` are planned and executed here,
 * like REST requests. `graphql.resolve` in the database asks this service for a plan and executes it in the caller's
 * transaction.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../base/kernel/log.ts';
import type { Service } from '../../base/kernel/service.ts';
import type { Config, LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Attempt, CreateEndpoint, Replay } from '../rest/index.ts';
import type { Engine } from './engine.ts';
import { settingsFromConfig } from './settings.ts';

export interface GraphqlDeps {
  readonly database: Database;
  readonly config: LiveConfig;
  /** Serves requests with the authentication, the settings and the limits of REST. */
  readonly createEndpoint: CreateEndpoint;
  readonly log: Logger;
}

export interface GraphqlService extends Service {
  /** Answers the questions of the extension's functions. */
  readonly answer: (question: string) => Promise<string>;
  /** Runs a request within the process, without the network. */
  readonly attempt: Attempt;
  /** Runs a request again for an operator and rolls it back. */
  readonly replay: Replay;
}

/**
 * Returns a function that answers the questions of the extension's functions, without the rest of the service. Templates
 * of test databases need it while their migrations run.
 */
export function createAnswers(config: Config): (question: string) => Promise<string> {
  const settings = settingsFromConfig(config);
  const load = async () => {
    const [{ createAnswer }, { SchemaStore }] = await Promise.all([
      import('./answer.ts'),
      import('./schema-store.ts'),
    ]);
    return createAnswer({ store: new SchemaStore(), settings: () => settings });
  };
  let loading: ReturnType<typeof load> | undefined;
  return async (question) => {
    loading ??= load();
    return (await loading)(question);
  };
}

const PREFIX = '/graphql/v1';
/** The channels on which PostgreSQL notifies of changes: of the schema, and of everything that GraphQL depends on. */
const CHANNELS = ['pgrst', 'plinth_graphql'];

export function createGraphql({ database, config, createEndpoint, log }: GraphqlDeps): GraphqlService {
  const settings = config.derive(settingsFromConfig);
  let engine: Engine | undefined;
  let loading: Promise<Engine> | undefined;
  const load = (): Promise<Engine> => {
    loading ??= import('./engine.ts').then(({ createEngine }) => {
      engine = createEngine({ database, settings, newSpeed, log });
      return engine;
    });
    return loading;
  };
  config.onChange(async (next, previous) => {
    if (!isDeepStrictEqual(settingsFromConfig(next), settingsFromConfig(previous))) engine?.clear();
  });
  const { mount, attempt, replay, newSpeed } = createEndpoint({
    prefix: PREFIX,
    schema: 'graphql_public',
    name: 'graphql',
    serve: async (call) => (engine ?? (await load())).serve(call),
  });
  const invalidate = () => engine?.invalidate();
  const listening: Promise<() => Promise<void>>[] = [];
  return {
    name: 'graphql',
    answer: async (question) => (engine ?? (await load())).answer(question),
    attempt,
    replay,
    mounts: [mount],
    async start() {
      listening.push(...CHANNELS.map((channel) => database.listen(channel, invalidate, invalidate)));
      await Promise.all(listening);
    },
    async stop() {
      await Promise.all(listening.map(async (unlisten) => (await unlisten.catch(() => undefined))?.()));
    },
  };
}
