/**
 * Runs the health checks of all components to determine whether requests would succeed. Checks run on demand, at most
 * once per second. A check that doesn't finish in time counts as failed. Only essential checks make the process
 * unready: the failure of a dependency that all processes share, such as an S3 server, would otherwise take every process
 * out of the load balancer, including the services that work.
 */

import type { Logger } from '../../base/kernel/log.ts';
import type { Health, HealthCheck } from '../../base/kernel/service.ts';

const freshMs = 1000;
const timeoutMs = 2500;
/** Load balancers often wait only a second for the response, so an unreachable dependency must not delay it. */
const minorTimeoutMs = 750;

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

/** `essential` contains the names of the checks whose failure means that every request fails. */
export function createReadiness(
  checks: Readonly<Record<string, HealthCheck>>,
  log: Logger,
  essential: ReadonlySet<string>,
): Readiness {
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
          async ([name, check]) =>
            [
              name,
              await inTime(start(name, check), essential.has(name) ? timeoutMs : minorTimeoutMs),
            ] as const,
        ),
      ),
    );

  return {
    async report() {
      const now = performance.now();
      if (latest === undefined || now - latest.at >= freshMs) latest = { at: now, results: runAll() };
      const results = await latest.results;
      return { status: isDraining ? 'draining' : statusOf(results, essential), checks: results };
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

async function inTime(check: Promise<Health>, limitMs: number): Promise<Health> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Health>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: 'failing', message: `No response within ${limitMs} ms.` }),
      limitMs,
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

function statusOf(
  results: Readonly<Record<string, Health>>,
  essential: ReadonlySet<string>,
): Health['status'] {
  const problems = Object.entries(results).filter(([, { status }]) => status !== 'ok');
  if (problems.some(([name, { status }]) => status === 'failing' && essential.has(name))) return 'failing';
  return problems.length > 0 ? 'degraded' : 'ok';
}
