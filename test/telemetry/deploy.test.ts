/**
 * Tests that the alert rules and the dashboard in deploy/ contain only metrics and labels that a running server has,
 * and that each alert has instructions in docs/operate.md.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type MetricName, metricCatalog } from '../../src/base/kernel/metrics/catalog.ts';
import { makeProject, type RunningServer, run, startServer } from '../backup/server.ts';
import { fetchHttps } from '../support/https.ts';
import { type Family, parsePrometheus, type Sample } from '../support/prometheus.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: { readonly severity: string };
}
const rules = (parseYaml(read('deploy/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const { panels } = JSON.parse(read('deploy/grafana.json')) as { panels: Panel[] };

const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Replaces Grafana's variables, as Grafana does before it sends an expression. */
const filled = (expression: string): string => expression.replaceAll('$__rate_interval', '5m');

interface Use {
  readonly metric: string;
  /** The label names of the matchers, and the values of the matchers with `=`. */
  readonly labels: readonly (readonly [name: string, value: string | undefined])[];
}

/** Returns the metrics and labels that an expression uses. @throws if the expression isn't valid PromQL */
function usesOf(expression: string): { readonly uses: readonly Use[]; readonly grouped: readonly string[] } {
  const uses: Use[] = [];
  const grouped: string[] = [];
  const text = filled(expression);
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`Invalid PromQL near "${text.slice(node.from)}": ${text}`);
      const part = text.slice(node.from, node.to);
      if (node.name === 'VectorSelector') {
        const metric = /^[a-z_0-9]+/.exec(part)?.[0] ?? '';
        const matchers = [...part.matchAll(/([a-z_]+)(=~|!=|!~|=)"([^"]*)"/g)];
        uses.push({
          metric,
          labels: matchers.map(([, name = '', operator, value]) => [
            name,
            operator === '=' ? value : undefined,
          ]),
        });
      }
      if (node.name === 'GroupingLabels') grouped.push(...(part.match(/[a-z_]+/g) ?? []));
    },
  });
  return { uses, grouped };
}

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const project = makeProject(target);
let server: RunningServer;
let families: ReadonlyMap<string, Family>;
let text: string;

async function scrape(): Promise<string> {
  const response = await fetchHttps(Number(new URL(server.API_URL).port), 'localhost', '/metrics', {
    headers: { authorization: `Bearer ${server.SERVICE_ROLE_KEY}` },
  });
  expect(response.status).toBe(200);
  return response.body;
}

beforeAll(async () => {
  const supabase = join(project.dir, 'supabase');
  const config = readFileSync(join(supabase, 'config.toml'), 'utf8');
  writeFileSync(
    join(supabase, 'config.toml'),
    `${config}[api.tls]\nenabled = true\n[functions.hello]\nverify_jwt = false\n`,
  );
  const plinth = readFileSync(join(supabase, 'plinth.toml'), 'utf8');
  writeFileSync(
    join(supabase, 'plinth.toml'),
    `${plinth}[telemetry]\notlp_endpoint = "http://127.0.0.1:9"\n`,
  );
  mkdirSync(join(supabase, 'functions', 'hello'), { recursive: true });
  writeFileSync(join(supabase, 'functions', 'hello', 'index.ts'), "Deno.serve(() => new Response('hello'));");
  server = await startServer(project);
  const port = Number(new URL(server.API_URL).port);
  for (const path of ['/rest/v1/notes', '/functions/v1/hello', '/nothing'])
    await fetchHttps(port, 'localhost', path, { headers: { apikey: server.SERVICE_ROLE_KEY } });
  const backup = await run(project, ['backup']);
  expect(backup.status, backup.stderr).toBe(0);
  const verification = await run(project, ['backup', 'verify']);
  expect(verification.status, verification.stderr).toBe(0);
  // The stream of the changes may be opened again after the backup.
  await vi.waitUntil(
    async () => {
      text = await scrape();
      return /^plinth_replication_slot_active(?:\{[^}]*\})? 1$/m.test(text);
    },
    { timeout: 60_000, interval: 200 },
  );
  families = parsePrometheus(text);
}, 300_000);
afterAll(async () => {
  await server?.stop();
  project.remove();
  rmSync(target, { recursive: true, force: true });
});

describe('expressions', () => {
  it.each(expressions)('of %s contain only known metrics: %s', (_where, expression) => {
    const { uses, grouped } = usesOf(expression);
    const labelNames = new Set(['job', 'instance']);
    for (const { metric, labels } of uses) {
      if (metric === 'up') continue;
      const family = families.get(metric) ?? families.get(metric.replace(/_(?:bucket|sum|count)$/, ''));
      const samples = family?.series.get(metric) ?? [];
      expect(samples.length, `${metric} isn't in /metrics`).toBeGreaterThan(0);
      const known = [...Object.keys(samples[0]?.labels ?? {}), 'job', 'instance'];
      for (const name of known) labelNames.add(name);
      for (const [label, value] of labels) {
        expect(known, `${metric} doesn't have the label ${label}`).toContain(label);
        const isOpen = value === undefined || value.startsWith('$') || label === 'status_class';
        if (isOpen) continue;
        const values = samples.map((sample) => sample.labels[label]);
        expect(values, `${metric}: no sample has ${label}="${value}"`).toContain(value);
      }
    }
    for (const name of grouped) expect([...labelNames], `no metric has the label ${name}`).toContain(name);
  });
});

test('the metrics output contains only metrics of the catalog, with their labels', () => {
  for (const { name, type, series } of families.values()) {
    expect(Object.keys(metricCatalog)).toContain(name);
    const definition = metricCatalog[name as MetricName];
    expect(type).toBe(definition.type);
    for (const { labels } of [...series.values()].flat()) {
      const { le: _bound, ...own } = labels;
      expect(Object.keys(own).sort()).toEqual([...definition.labels].sort());
    }
  }
});

const samplesOf = (name: string, series = name): readonly Sample[] =>
  families.get(name)?.series.get(series) ?? [];

test('routes are patterns, without table or function names', () => {
  const name = 'plinth_request_duration_seconds';
  const routes = samplesOf(name, `${name}_count`).map(({ labels }) => labels.route ?? '');
  expect(routes).toContain('unmatched');
  expect(routes.join(' ')).not.toMatch(/notes|hello|nothing/);
});

test('this server’s activity is measured', () => {
  const value = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    samplesOf(name).find((sample) =>
      Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted),
    )?.value;
  expect(value('plinth_database_up')).toBe(1);
  expect(value('plinth_database_connections', { state: 'idle' })).toBeGreaterThan(0);
  expect(value('plinth_database_size_bytes')).toBeGreaterThan(1_000_000);
  expect(value('plinth_wal_size_bytes')).toBeGreaterThan(1_000_000);
  expect(value('plinth_replication_slot_active')).toBe(1);
  expect(value('plinth_backup_verification_failed')).toBe(0);
  expect(value('plinth_function_starts_total', { outcome: 'succeeded' })).toBe(1);
  expect(value('plinth_function_cold_requests_total', { function: 'hello' })).toBe(1);
  expect(value('plinth_connections_open', { listener: 'api' })).toBeGreaterThan(0);
  expect(value('plinth_requests_in_flight', { listener: 'api' })).toBe(1);
});

describe('alerts', () => {
  const headings = new Set(
    [...read('docs/operate.md').matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading?.toLowerCase()),
  );

  it.each(rules)('$alert has a summary, a description and instructions', ({ alert, annotations, labels }) => {
    expect(annotations.summary).toMatch(/\.$/);
    expect(annotations.description).toMatch(/\.$/);
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.runbook_url).toBe(`docs/operate.md#${alert.toLowerCase()}`);
    expect(headings).toContain(alert.toLowerCase());
  });

  it('names are unique, and each section belongs to an alert', () => {
    const names = rules.map(({ alert }) => alert.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    expect(names.sort()).toEqual(
      [...headings].filter((heading) => /^plinth[a-z]+$/.test(heading ?? '')).sort(),
    );
  });
});

test('the dashboard’s panels don’t overlap', () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_none, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { x, w } of panels.map(({ gridPos }) => gridPos)) expect(x + w).toBeLessThanOrEqual(24);
});
