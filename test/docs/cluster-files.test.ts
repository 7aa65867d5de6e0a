/** Tests that the files in deploy/cluster fit the server: its commands, settings, ports and health checks. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { type Command, parseInput } from '../../src/entry/cli/command.ts';
import { registry } from '../../src/entry/cli/registry.ts';
import { configFrom, loadConfig } from '../../src/platform/config/index.ts';

const folder = fileURLToPath(new URL('../../deploy/cluster/', import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const { api, studio } = configFrom({}, folder);
const ports = { api: api.port, console: studio.port };

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly command?: string[]; readonly environment?: Readonly<Record<string, string>> }>
  >;
}
interface Container {
  readonly args: string[];
  readonly ports: readonly { readonly name: 'api' | 'console'; readonly containerPort: number }[];
  readonly [probe: string]: unknown;
}
const compose = parseYaml(read('compose.yaml'), { merge: true }) as Compose;
const manifests = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS());
const manifest = (kind: string) => manifests.find((each) => each?.kind === kind);
const [container] = manifest('Deployment').spec.template.spec.containers as [Container];

/** The arguments after the program in the systemd unit. */
const unitArguments = (): string[] => {
  const line = /^ExecStart=.*\/plinth-built\.mjs (.+)$/m.exec(read('plinth@.service'))?.[1] ?? '';
  return line.split(' ');
};

test.each([
  ['plinth@.service', unitArguments()],
  ['compose.yaml', compose.services.node1?.command ?? []],
  ['kubernetes.yaml', container.args],
])('the command in %s is valid', async (_, words) => {
  expect(words[0]).toBe('serve');
  const command = (await registry.serve?.load()) as Command;
  expect(() => parseInput(command, words.slice(1))).not.toThrow();
});

test('the settings are valid, and each secret is in the environment of every kind of node', () => {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-cluster-'));
  onTestFinished(() => rmSync(projectDir, { recursive: true }));
  mkdirSync(join(projectDir, 'supabase'));
  const settings = read('plinth.toml');
  writeFileSync(join(projectDir, 'supabase', 'plinth.toml'), settings);
  const names = [...settings.matchAll(/env\(([A-Z0-9_]+)\)/g)].map(([, name]) => name as string);
  const env = Object.fromEntries(
    names.map((name) => [name, name.endsWith('URL') ? 'nats://a:b@nats:4222' : name]),
  );
  const { config, warnings } = loadConfig({ projectDir, env });
  expect(warnings).toEqual([]);
  expect(config.plinth.realtime.bus).toBe('nats');
  expect(Object.keys(compose.services.node1?.environment ?? {})).toEqual(expect.arrayContaining(names));
  expect(Object.keys(manifest('Secret').stringData)).toEqual(expect.arrayContaining(names));
});

test.each(['haproxy.cfg', 'haproxy-compose.cfg'])(
  '%s uses the ports and the readiness of the nodes',
  (name) => {
    const text = read(name);
    const servers = [...text.matchAll(/^ {4}server \w+ \S+:(\d+)$/gm)].map(([, port]) => Number(port));
    expect(servers).toEqual([...Array(3).fill(ports.api), ...Array(3).fill(ports.console)]);
    expect([...text.matchAll(/option httpchk GET (\S+)/g)].map(([, path]) => path)).toEqual([
      '/health/ready',
      '/health/ready',
    ]);
  },
);

test('Kubernetes uses the ports and the health checks of the nodes', () => {
  expect(Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]))).toEqual(
    ports,
  );
  const probe = (name: string) => (container[name] as { httpGet: { path: string } }).httpGet.path;
  expect(['startupProbe', 'readinessProbe', 'livenessProbe'].map(probe)).toEqual([
    '/health/live',
    '/health/ready',
    '/health/live',
  ]);
});
