/**
 * Runs the health checks of all components to determine whether requests would succeed. Checks run on demand, at most
 * once per second. A check that doesn't finish in time counts as failed.
 */
import type { Health, HealthCheck } from '../kernel/health.ts';
import type { Logger } from '../kernel/log.ts';

const freshMs = 1000;
const timeoutMs = 2500;

export interface ReadinessReport {
  /** `draining` means that the process is about to exit and must not receive new requests. */
  readonly status: Health['status'] | 'draining';
  readonly checks: Readonly<Record<string, Health>>;
}

export interface Readiness {
  report(): Promise<ReadinessReport>;
  /** Marks the process as not ready for the rest of its lifetime. */
  drain(): void;
}

export function createReadiness(checks: Readonly<Record<string, HealthCheck>>, log: Logger): Readiness {
  let isDraining = false;
  let latest:
    | { readonly at: number; readonly results: Promise<Readonly<Record<string, Health>>> }
    | undefined;
  /** Checks that are still running, including checks that were reported as failed because they took too long. */
  const running = new Map<string, Promise<Health>>();

  /** Starts a check unless it is already running, so that checks of a stalled component don't accumulate. */
  const start = (name: string, check: HealthCheck): Promise<Health> => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const result = runCheck(name, check, log).finally(() => running.delete(name));
    running.set(name, result);
    return result;
  };

  const runAll = async (): Promise<Readonly<Record<string, Health>>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(checks).map(
          async ([name, check]) => [name, await inTime(start(name, check))] as const,
        ),
      ),
    );

  return {
    async report() {
      const now = performance.now();
      if (latest === undefined || now - latest.at >= freshMs) latest = { at: now, results: runAll() };
      const results = await latest.results;
      return { status: isDraining ? 'draining' : worstOf(Object.values(results)), checks: results };
    },
    drain() {
      isDraining = true;
    },
  };
}

async function runCheck(name: string, check: HealthCheck, log: Logger): Promise<Health> {
  try {
    return (await check()) ?? { status: 'ok' };
  } catch (error) {
    log.warn({ check: name, error }, 'a health check failed');
    return { status: 'failing', message: reasonOf(error) };
  }
}

async function inTime(check: Promise<Health>): Promise<Health> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Health>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: 'failing', message: `No response within ${timeoutMs} ms.` }),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([check, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Omits the error's message, because the report is public and the message could contain host and account names. */
function reasonOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  const shown = typeof code === 'string' && /^[\w.-]{1,40}$/.test(code) ? ` (${code})` : '';
  return `The check failed${shown}. For the reason, see the log.`;
}

function worstOf(results: readonly Health[]): Health['status'] {
  const has = (status: Health['status']): boolean => results.some((result) => result.status === status);
  if (has('failing')) return 'failing';
  return has('degraded') ? 'degraded' : 'ok';
}
