/**
 * The program of an API worker. An API worker serves REST and GraphQL requests and passes all other requests to the main process.
 * It doesn't start a database or apply migrations.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../base/kernel/log.ts';
import { installedVersion } from '../../base/shared/files.ts';
import { thisMachine } from '../../base/shared/machine.ts';
import { type Config, createLiveConfig } from '../../platform/config/index.ts';
import { joinDatabase } from '../../platform/database/index.ts';
import { createKeys } from '../../platform/keys/index.ts';
import { connectToMain, type MainLink } from '../cluster/index.ts';
import type { Gateway, GatewayOptions } from '../gateway/index.ts';
import type { WorkerInit } from './api-workers.ts';
import { poolLimits, requestPathLimits } from './connection-limits.ts';
import { createDiskGuard } from './disk-guard.ts';
import { httpsSettings } from './https.ts';
import { gatewayMetrics, poolMetrics, queueMetrics } from './metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';

/** Serves connections until the main process stops the worker or exits. After that, the worker process exits. */
export async function runApiWorker(): Promise<never> {
  let socketDir: string | undefined;
  const main = connectToMain<WorkerInit>(() => {
    // Removes the folder here, because a main process that was killed can't remove it.
    if (socketDir !== undefined) rmSync(socketDir, { recursive: true, force: true });
  });
  try {
    const init = await main.init;
    socketDir = init.socketDir;
    rejectOtherVersion(init);
    await serve(init, main);
  } catch (error) {
    main.failed(error);
  }
  return await new Promise<never>(() => undefined);
}

function rejectOtherVersion({ version }: WorkerInit): void {
  const installed = installedVersion();
  if (installed !== version)
    throw new Error(
      `Version ${installed} is installed, but the running server is version ${version}. Restart the server.`,
    );
}

async function serve(init: WorkerInit, main: MainLink<WorkerInit>): Promise<void> {
  const [gatewayModule, restModule, graphqlModule, { shareOf }, certificates] = await Promise.all([
    import('../gateway/index.ts'),
    import('../../services/rest/index.ts'),
    import('../../services/graphql/index.ts'),
    import('./share.ts'),
    receivedCertificates(init),
  ]);
  const { log } = main;
  const machine = thisMachine();
  const share = (config: Config): Config => shareOf(config, init.workers, machine);
  const config = share(init.config);
  const live = createLiveConfig(config);
  const setLevel = ({ plinth }: Config): void => main.setLevel(plinth.log.level);
  setLevel(config);
  live.onChange(setLevel);
  const keys = createKeys({
    mode: init.mode,
    config,
    supabaseDir: join(init.projectDir, 'supabase'),
    dataDir: init.dataDir,
    log,
  });
  const database = joinDatabase({
    member: init.member,
    onPasswordRejected: () => main.restoreLogins(),
    requestPath: requestPathLimits(config.plinth.rest, machine),
    pools: poolLimits(config.plinth.database, machine),
    log,
  });
  // The main process makes the database read-only. This guard is only used to explain why a write was rejected.
  const disk = createDiskGuard({
    dir: init.dataDir,
    reservedBytes: () => live.current.plinth.database.reserved_space,
    onChange: async () => undefined,
    log: silentLogger,
  });
  const rest = init.hasRest
    ? restModule.createRest({
        database,
        keys,
        config: live,
        dataDir: init.dataDir,
        disk,
        log: log.child({ service: 'rest' }),
        permissionHints: init.mode === 'development' ? 'full' : 'short',
      })
    : undefined;
  const graphql =
    rest === undefined || !init.hasGraphql
      ? undefined
      : graphqlModule.createGraphql({
          database,
          config: live,
          createEndpoint: rest.createEndpoint,
          log: log.child({ service: 'graphql' }),
        });
  const services = [rest, graphql].filter((service) => service !== undefined);
  const tls: GatewayOptions['tls'] = certificates && {
    certificates,
    strictTransport: httpsSettings(config, init.mode)?.strictTransport,
  };
  const gateway: Gateway = gatewayModule.createGateway({
    services,
    keys,
    log: log.child({ service: 'gateway' }),
    onRequestEnd: main.requestEnded,
    trustedProxies: live.derive(({ plinth }) =>
      gatewayModule.createTrustedProxies(plinth.server.trusted_proxies),
    ),
    tracedCallers: () => live.current.plinth.telemetry.trust_incoming,
    limits: live.derive(({ plinth }) => gatewayModule.limitsFrom(plinth.server)),
    secretKeys: {
      areKnown: keys.wellKnown.length > 0,
      ownHosts: () => [new URL(init.apiUrl).host],
      isOff: () => live.current.plinth.server.browser_secret_keys,
    },
    forward: { socketPath: init.mainSocket, mounts: init.mounts },
    tls,
  });
  const processMetrics = createProcessMetrics();
  await disk.start();
  void keys.warm();
  await Promise.all(services.map((service) => service.start?.()));
  // The main process accepts clients' connections and passes them to this worker. The worker's gateway also listens on
  // a socket, because Node enforces timeouts only on servers that listen.
  await gateway.listenOn(join(init.socketDir, `worker-${process.pid}`));
  main.ready({
    onConnection: (socket) => gateway.accept(socket),
    onConfig(next) {
      live
        .replace(share(next))
        .catch((error: unknown) => log.error({ error }, 'an API worker rejected the configuration'));
    },
    onCertificates: (pairs) => certificates?.replace(pairs),
    async onStop({ drainMs, graceMs, isLast }) {
      await gateway.close(graceMs, drainMs, !isLast);
      await Promise.all(services.map((service) => service.stop?.()));
      disk.stop();
      await database.stop();
    },
    facts: () => ({
      connections: gateway.accepted,
      metrics: {
        ...processMetrics.values(),
        ...gatewayMetrics({ api: gateway.load() }),
        ...poolMetrics(database.loads()),
        ...queueMetrics({}, gateway.queue()),
      },
      keyUses: keys.takeKeyUses(),
      fault: rest?.health?.(),
    }),
  });
}

/** Loads Node's TLS module only if the port uses HTTPS. */
async function receivedCertificates({ certificates }: WorkerInit) {
  if (certificates === undefined) return undefined;
  const { createReceivedCertificates } = await import('../tls/index.ts');
  return createReceivedCertificates(certificates);
}
