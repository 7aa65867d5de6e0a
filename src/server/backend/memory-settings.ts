/**
 * Computes PostgreSQL settings that are suitable for the memory of this machine or container. Has no side effects.
 *
 * With 512 MiB, PostgreSQL may use a quarter of the memory. With 2 GiB or more, the settings that affect query plans
 * are the same as in the local stack. In production, larger machines get larger `shared_buffers` and
 * `maintenance_work_mem`.
 */

const mib = 1024 ** 2;
/** The amount of memory from which the default settings are suitable. */
const enoughBytes = 2048 * mib;

/** Returns settings for postgresql.conf. PostgreSQL uses its defaults for settings that aren't in the result. */
export function memorySettings(
  memoryBytes: number,
  mode: 'development' | 'production',
): Readonly<Record<string, string | number>> {
  const part = (divisor: number, minMb: number, maxMb: number): string =>
    `${between(minMb, Math.floor(memoryBytes / divisor / mib), maxMb)}MB`;
  if (memoryBytes >= enoughBytes) {
    return mode === 'development'
      ? {}
      : {
          shared_buffers: part(32, 64, 512),
          maintenance_work_mem: part(32, 64, 512),
          // This value is fixed because several autovacuum workers can run at the same time.
          autovacuum_work_mem: '64MB',
        };
  }
  return {
    shared_buffers: part(32, 16, 64),
    work_mem: part(512, 1, 4),
    maintenance_work_mem: part(32, 16, 64),
    logical_decoding_work_mem: part(32, 16, 64),
    max_connections: maxConnectionsOf(memoryBytes),
  };
}

const defaultMaxConnections = 100;

/**
 * Returns the maximum number of connections. A busy PostgreSQL session uses about 8 MiB. The minimum is enough for
 * Plinth's own sessions and a few other sessions.
 */
export const maxConnectionsOf = (memoryBytes: number): number =>
  between(60, Math.floor(memoryBytes / (8 * mib)), defaultMaxConnections);

const between = (min: number, value: number, max: number): number => Math.max(min, Math.min(value, max));
