/** Tests that the Console's charts still show the time before a restart. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Backend, operator, startBackend } from './harness.ts';

let dataDir = '';
let file = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plinth-recent-'));
  file = join(dataDir, 'recent-metrics.json');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function withBackend<T>(work: (backend: Backend) => Promise<T>, workers?: { count: number }) {
  const backend = await startBackend({ dataDir, ...(workers === undefined ? {} : { workers }) });
  try {
    return await work(backend);
  } finally {
    await backend.stop();
  }
}

const request = (backend: Backend, path: string) =>
  backend.fetch(path, { headers: { apikey: backend.keys.publishableKey } });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function restTotal(backend: Backend) {
  const { services } = (await (await operator(backend)).call('GET', '/metrics?minutes=60')).body;
  return services.find(({ service }: { service: string }) => service === 'rest')?.total;
}

/**
 * Returns the traffic that the home page shows. The server caches the traffic for ten seconds, so this function is
 * called only once per server.
 */
async function homeTraffic(backend: Backend) {
  const { traffic } = (await (await operator(backend)).call('GET', '/home/overview')).body;
  return { requests: sum(traffic.requests), refused: sum(traffic.refused) };
}

const timeoutMs = 180_000;

test.each([0, 2])(
  'with %i API workers, requests are shown after a restart',
  async (count) => {
    const workers = count === 0 ? undefined : { count };
    await withBackend(async (backend) => {
      for (let done = 0; done < 3; done++) await request(backend, '/rest/v1/tasks?limit=1');
      await request(backend, '/rest/v1/missing');
      // The workers report their requests after a delay.
      await expect.poll(() => restTotal(backend), { timeout: 20_000 }).toMatchObject({ requests: 4 });
    }, workers);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await withBackend(async (backend) => {
      const rest = await restTotal(backend);
      expect(rest).toMatchObject({ requests: 4, refused: 1, failed: 0 });
      expect(rest.p95).toBeGreaterThan(0);
      await request(backend, '/rest/v1/tasks?limit=1');
      await expect.poll(() => restTotal(backend), { timeout: 20_000 }).toMatchObject({ requests: 5 });
      expect(await homeTraffic(backend)).toEqual({ requests: 5, refused: 1 });
    }, workers);
    const names = readdirSync(dataDir).filter((name) => name.startsWith('recent-metrics'));
    expect(names).toEqual(['recent-metrics.json']);
  },
  timeoutMs,
);

test(
  'a broken file is ignored and replaced',
  async () => {
    const slot = Math.floor(Date.now() / 30_000);
    for (const broken of ['{"requests":[', `{"requests":[["rest",[[${slot},0,-4]]]]}`]) {
      writeFileSync(file, broken);
      expect(await withBackend(homeTraffic)).toEqual({ requests: 0, refused: 0 });
      expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('requests');
    }
  },
  timeoutMs,
);
