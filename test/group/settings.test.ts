/**
 * Tests the settings that are saved on one of several servers. The servers share only an external database and a secret.
 * Each has its own copy of the project folder.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { type Operator, operator } from '../console/harness.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations.
/** Changes are known to all nodes within two seconds, which `npm run drill:cluster` measures. Tests run on busy machines. */
const soon = { timeout: 15_000, interval: 50 };
const project = `project_id = "demo"

[auth]
jwt_expiry = 3600

[auth.email.template.recovery]
content_path = "./supabase/recovery.html"
`;
const folder = temporaryFolder();
let server: ExternalServer;
let url: string;

interface Node {
  readonly projectDir: string;
  readonly savedDir: string;
  backend: Backend;
  owner: Operator;
}

const folderOf = (name: string) => {
  const projectDir = join(folder.path, name);
  return { projectDir, dataDir: join(projectDir, '.plinth') };
};

async function start(name: string): Promise<Node> {
  const { projectDir, dataDir } = folderOf(name);
  mkdirSync(join(projectDir, 'supabase'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase/config.toml'), project);
  writeFileSync(join(projectDir, 'supabase/recovery.html'), '<p>project {{ .Token }}</p>');
  const backend = await createBackend({
    projectDir,
    dataDir,
    databaseUrl: url,
    mode: 'production',
    exclude: ['storage'],
    passwordCost: 4,
    ...{ port: 0, consolePort: 0, mailPort: 0 },
  });
  await backend.start();
  return { projectDir, savedDir: join(dataDir, 'saved-settings'), backend, owner: await operator(backend) };
}

beforeAll(async () => {
  vi.stubEnv('PLINTH_SECRET', 'the secret that all of these servers have');
  const [newest] = availableServers();
  server = await startExternalServer(newest?.bin as string, folder.path);
  const admin = await Client.connect(parseConnectionString(server.url('admin')));
  await admin.exec('create database nodes');
  await admin.connection.close();
  url = server.url('admin', 'nodes');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
  folder.remove();
});

const change = (key: string, value: unknown, more: object = {}) => ({
  file: 'config.toml',
  path: key.split('.'),
  value,
  ...more,
});

async function save({ owner }: Node, changes: object[], templates: object[] = []) {
  const { stamps } = (await owner.call('GET', '/settings')).body;
  return owner.call('POST', '/settings', { changes, templates, stamps });
}

const post = ({ backend }: Node, path: string, body: object): Promise<Response> =>
  backend.fetch(path, {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

let users = 0;
const signUp = async (node: Node): Promise<number> => {
  const body = { email: `user${++users}@example.com`, password: 'correct horse battery' };
  return (await post(node, '/auth/v1/signup', body)).status;
};

const settingsHealth = ({ backend }: Node) => backend.configuration?.health();

describe('three nodes', () => {
  let one: Node;
  let two: Node;
  let three: Node;
  beforeAll(async () => {
    [one, two, three] = await Promise.all([start('one'), start('two'), start('three')]);
  });
  afterAll(async () => {
    await Promise.all([one, two, three].map((node) => node?.backend.stop()));
  });
  // Empties the saved settings on all nodes, so that a failed test can be retried.
  beforeEach(async () => {
    const text = (node: Node): string => readFileSync(join(node.savedDir, 'config.toml'), 'utf8');
    if (!existsSync(one.savedDir)) return;
    writeFileSync(join(one.savedDir, 'config.toml'), '');
    for (const node of [one, two, three]) {
      await expect.poll(() => text(node), { timeout: 10_000 }).toBe('');
      await node.backend.configuration?.reload();
    }
  });

  test('a setting that is saved on one node applies on all, and its removal too', async () => {
    const { status, body } = await save(one, [change('auth.enable_signup', false)]);
    expect([status, body.applied]).toEqual([200, ['auth.enable_signup']]);
    for (const node of [one, two, three]) await expect.poll(() => signUp(node), soon).toBe(422);
    for (const { projectDir } of [one, two, three])
      expect(readFileSync(join(projectDir, 'supabase/config.toml'), 'utf8')).toBe(project);
    await save(two, [change('auth.enable_signup', null, { usesProject: true })]);
    for (const node of [one, two, three]) await expect.poll(() => signUp(node), soon).toBe(200);
  });

  test('the management API changes the settings of all nodes', async () => {
    await two.backend.manage('changeHostedService', { service: 'auth', fields: { disable_signup: true } });
    for (const node of [one, two, three]) await expect.poll(() => signUp(node), soon).toBe(422);
    await three.backend.manage('pushConfig', { config: '[auth]\nenable_signup = true\njwt_expiry = 90\n' });
    for (const { backend } of [one, two, three]) {
      await expect.poll(() => backend.config.auth.jwt_expiry, soon).toBe(90);
      expect(backend.config.auth.enable_signup).toBe(true);
    }
  });

  test('a deployment of the project doesn’t undo the setting', async () => {
    await save(one, [change('auth.jwt_expiry', 60)]);
    await expect.poll(() => two.backend.config.auth.jwt_expiry, soon).toBe(60);
    const path = join(two.projectDir, 'supabase/config.toml');
    writeFileSync(path, project.replace('3600', '7200\nsite_url = "http://deployed"'));
    await two.backend.configuration?.reload();
    expect(two.backend.config.auth).toMatchObject({ jwt_expiry: 60, site_url: 'http://deployed' });
    const { body } = await two.owner.call('GET', '/settings');
    const all = body.sections.flatMap((section: { settings: { path: string[] }[] }) => section.settings);
    expect(
      all.find((setting: { path: string[] }) => setting.path.join('.') === 'auth.jwt_expiry'),
    ).toMatchObject({
      value: 60,
      project: { value: 7200, isSet: true },
    });
    writeFileSync(path, project);
  });

  test('a template and a secret that are saved on one node are used by the others', async () => {
    const email = `user${++users}@example.com`;
    await post(one, '/auth/v1/signup', { email, password: 'correct horse battery' });
    const { stamp } = (await one.owner.call('GET', '/settings/mails/recovery')).body;
    const html = '<p>saved {{ .Token }}</p>';
    const secret = change('auth.external.github.secret', 'github-secret');
    expect((await save(one, [secret], [{ name: 'recovery', html, stamp }])).status).toBe(200);
    const shown = async () => (await two.owner.call('GET', '/settings/mails/recovery')).body.html;
    await expect.poll(shown, soon).toBe(html);
    expect(two.backend.config.auth.external.github.secret).toBe('github-secret');
    expect((await post(two, '/auth/v1/recover', { email })).status).toBe(200);
    const mail = async () => (await two.owner.call('GET', '/inbox')).body.messages[0]?.snippet;
    await expect.poll(mail, soon).toMatch(/^saved \d{6}/);
    // The stamps are the same on all nodes, so another node accepts an edit of what it shows.
    const next = (await two.owner.call('GET', '/settings/mails/recovery')).body.stamp;
    const edit = { name: 'recovery', html: '<p>again {{ .Token }}</p>', stamp: next };
    expect((await save(three, [], [edit])).status).toBe(200);
    await expect.poll(shown, soon).toBe(edit.html);
  });

  test('a setting that needs a restart is pending on every node', async () => {
    await save(one, [change('api.port', 1234), change('auth.jwt_expiry', 61)]);
    for (const node of [one, two, three]) {
      await expect.poll(() => node.backend.config.auth.jwt_expiry, soon).toBe(61);
      expect(node.backend.configuration?.status().needsRestart.map(({ key }) => key)).toEqual(['api.port']);
      expect(settingsHealth(node)?.message).toMatch(
        /^Settings were changed in the Console or by the management API at .+\. Restart the server to apply/,
      );
    }
  });

  test('two nodes that save at the same time don’t lose a change', async () => {
    const results = await Promise.all([
      save(one, [change('auth.jwt_expiry', 70)]),
      save(two, [change('auth.site_url', 'http://two')]),
    ]);
    const statuses = results.map(({ status }) => status);
    expect(statuses.toSorted()).toSatisfy(
      (sorted: number[]) => sorted.join() === '200,200' || sorted.join() === '200,409',
    );
    const [isOne, isTwo] = statuses.map((status) => status === 200);
    for (const { backend } of [one, two, three]) {
      await expect.poll(() => backend.config.auth.jwt_expiry === 70, soon).toBe(isOne);
      await expect.poll(() => backend.config.auth.site_url === 'http://two', soon).toBe(isTwo);
    }
  });

  test('a node that starts later has the saved settings, and nothing is pending', async () => {
    await save(one, [change('api.max_rows', 7), change('storage.enabled', false)]);
    const four = await start('four');
    try {
      expect(four.backend.config).toMatchObject({ api: { max_rows: 7 }, storage: { enabled: false } });
      expect(settingsHealth(four)).toEqual({ status: 'ok' });
      expect(four.backend.configuration?.status().needsRestart).toEqual([]);
    } finally {
      await four.backend.stop();
    }
  });

  test('without the database, a change is rejected and not made', async () => {
    await save(one, [change('auth.jwt_expiry', 80)]);
    const text = readFileSync(join(one.savedDir, 'config.toml'), 'utf8');
    // Sessions of operators are in the database, so the command line's management call is used.
    await server.stop();
    const pushed = one.backend.manage('pushConfig', { config: '[auth]\njwt_expiry = 81\n' });
    await expect(pushed).rejects.toMatchObject({ status: 503 });
    await server.start();
    expect(readFileSync(join(one.savedDir, 'config.toml'), 'utf8')).toBe(text);
    expect(one.backend.config.auth.jwt_expiry).toBe(80);
    await expect
      .poll(() => save(one, [change('auth.jwt_expiry', 82)]).then(({ status }) => status), {
        timeout: 15_000,
      })
      .toBe(200);
    await expect.poll(() => three.backend.config.auth.jwt_expiry, { timeout: 10_000 }).toBe(82);
  });
});
