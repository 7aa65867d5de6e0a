/**
 * Runs every command and every migration of docs/deploy.md, in the order of the page, and checks the commands of the
 * workflows in examples/ci.
 */
import { exec } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/platform/config/index.ts';
import { type CommandResult, makeProject, type RunningServer, run, startServer } from '../backup/server.ts';
import { parseCommand } from './commands.ts';
import { blocksOf, commandLines, readPage, root } from './pages.ts';

const page = readPage('deploy');
const lines = commandLines(page);

describe('the workflows', () => {
  const [github, gitlab] = ['github', 'gitlab'].map((name) =>
    parse(readFileSync(`${root}examples/ci/${name}.yml`, 'utf8')),
  );
  const jobs = Object.values(github.jobs) as { steps: { run?: string }[] }[];
  const names = ['test', 'deploy', 'check'];
  const scripts = {
    github: jobs.flatMap(({ steps }) => steps.flatMap(({ run: script }) => script?.trim().split('\n') ?? [])),
    gitlab: [gitlab, ...names.map((name) => gitlab[name])].flatMap((job) => [
      ...(job.before_script ?? []),
      ...(job.script ?? []),
    ]) as string[],
  };

  it.each(Object.entries(scripts))('%s: every command exists with its flags', async (_name, script) => {
    const ours = script.filter((line) => line.startsWith('npx plinth '));
    expect(script.filter((line) => !ours.includes(line) && !line.startsWith('npm ci'))).toEqual([]);
    expect(ours.length).toBeGreaterThan(6);
    for (const line of ours)
      await parseCommand(
        line.replace('npx plinth ', '').replace('"$PLINTH_URL"', 'https://console.example').split(' '),
      );
  });

  it('have the same jobs, and give the token only to those that deploy', () => {
    expect(Object.keys(github.jobs)).toEqual(names);
    for (const name of names) expect(gitlab[name].script).toBeDefined();
    for (const name of names)
      expect(JSON.stringify(github.jobs[name]).includes('PLINTH_ACCESS_TOKEN')).toBe(name !== 'test');
    expect(github.env).toBeUndefined();
    expect(github.permissions).toEqual({ contents: 'read' });
    // A job with secrets doesn't run for pull requests.
    for (const name of ['deploy', 'check']) {
      expect(github.jobs[name].if).toMatch(/^github\.event_name == '(?:push|schedule)'$/);
      expect(github.jobs[name].environment).toBe('production');
      for (const { if: condition } of gitlab[name].rules)
        expect(condition).toMatch(/CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH|CI_PIPELINE_SOURCE == "schedule"/);
    }
  });

  it('pass only function secrets that a project can define', () => {
    expect(page).toContain('MAIL_KEY = "env(MAIL_KEY)"');
    expect(JSON.stringify(github.jobs.deploy)).toContain('MAIL_KEY');
  });
});

it('every command in the text and in tables exists with its flags', async () => {
  const pages = ['deploy', 'existing-scripts'].map(readPage);
  const commands = pages.flatMap((text) =>
    [...text.matchAll(/`(?:npx )?plinth ([^`]+)`/g)].map(([, line]) => line ?? ''),
  );
  expect(commands.length).toBeGreaterThan(20);
  for (const line of commands) await parseCommand(line.split(' '));
});

it('the settings are valid, and belong to the file that they name', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-settings-'));
  try {
    // The email template to which a setting on the page refers.
    mkdirSync(join(dir, 'supabase/templates'), { recursive: true });
    writeFileSync(join(dir, 'supabase/templates/confirmation.html'), '<p>{{ .Token }}</p>');
    for (const block of blocksOf(page, 'toml')) {
      const [, path = ''] = /^# (supabase\/\w+\.toml)/.exec(block) ?? [];
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), block);
      expect(loadConfig({ projectDir: dir, env: { MAIL_KEY: 'x' } }).warnings).toEqual([]);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

describe('the commands', () => {
  const backups = mkdtempSync(join(tmpdir(), 'plinth-deploy-backups-'));
  const server = makeProject(backups);
  const project = makeProject(undefined);
  const previews: RunningServer[] = [];
  let running: RunningServer;
  let consoleUrl = '';
  let token = '';

  beforeAll(async () => {
    // The server doesn't have migrations.
    rmSync(join(server.dir, 'supabase', 'migrations'), { recursive: true });
    writeFileSync(
      join(server.dir, 'supabase', 'config.toml'),
      'project_id = "app-production"\n[auth]\nsite_url = "https://live.example"\n',
    );
    writeFileSync(
      join(project.dir, 'supabase', 'migrations', '20260102000000_orders.sql'),
      'create table public.orders (id bigint primary key); insert into public.orders values (1);',
    );
    mkdirSync(join(project.dir, 'supabase', 'functions', 'hello'), { recursive: true });
    writeFileSync(
      join(project.dir, 'supabase', 'functions', 'hello', 'index.ts'),
      'Deno.serve(() => new Response());',
    );
    appendFileSync(
      join(project.dir, 'supabase', 'config.toml'),
      '[auth]\njwt_expiry = 1800\n[edge_runtime.secrets]\nMAIL_KEY = "env(MAIL_KEY)"\n',
    );
    writeFileSync(join(project.dir, 'supabase', 'seed.sql'), 'insert into public.orders values (2);');
    writeFileSync(join(project.dir, '.env.production'), 'OTHER_KEY=1\n');
    running = await startServer(server, undefined, 'serve');
    consoleUrl = await consoleOf(server);
  });
  afterAll(async () => {
    for (const each of [running, ...previews]) await each?.stop();
    for (const { remove } of [server, project]) remove();
    rmSync(backups, { recursive: true, force: true });
  });

  const consoleOf = async (where: typeof server): Promise<string> =>
    JSON.parse((await run(where, ['status', '-o', 'json'])).stdout).STUDIO_URL;

  const inProject = () => ({ env: { PLINTH_ACCESS_TOKEN: token, MAIL_KEY: 'the key' }, cwd: project.dir });

  /** Links the first server, after the page has linked the preview. */
  async function linkAgain(): Promise<void> {
    token = (await run(server, ['operators', 'token', 'create', 'again'])).stdout.trim();
    expectDone(await run(project, ['link', consoleUrl], inProject()));
  }

  /** The commands of the page that run on the server, with `server` as their folder. */
  const onServer = /^plinth (?:operators create|operators token create ci|backup)/;
  /** The commands that this test runs in another way, or that are covered elsewhere. */
  const special: Readonly<Record<string, () => Promise<CommandResult>>> = {
    'export PLINTH_ACCESS_TOKEN=sbp_…': async () => done,
    'plinth serve --workdir previews/pr-12 --port 0': async () => {
      previews.push(await startServer(previewOf(project.dir), undefined, 'serve'));
      return done;
    },
    'plinth operators token create preview --workdir previews/pr-12 --expires 7d': async () => {
      const created = await run(previewOf(project.dir), [
        'operators',
        'token',
        'create',
        'preview',
        '--expires',
        '7d',
      ]);
      token = created.stdout.trim();
      return created;
    },
    'plinth link https://pr-12-console.example.com': async () =>
      await run(project, ['link', await consoleOf(previewOf(project.dir))], inProject()),
    'plinth stop --workdir previews/pr-12 --no-backup': async () => {
      const stopped = await run(previewOf(project.dir), ['stop', '--no-backup']);
      await linkAgain();
      return stopped;
    },
  };

  it.each(lines)(
    '%s',
    async (line) => {
      const words = line.split(' ').slice(1);
      if (special[line] !== undefined) expectDone(await special[line]());
      else if (!line.startsWith('plinth ')) await promisify(exec)(line, { cwd: project.dir });
      else if (onServer.test(line)) {
        const result = await run(server, words);
        expectDone(result);
        if (words.includes('token')) token = result.stdout.trim();
      } else {
        const args = words.map((word) => (word.startsWith('https://console.') ? consoleUrl : word));
        const result = await run(project, args, inProject());
        if (words.includes('--check')) expect(result.status, result.stderr).toBe(1);
        else expectDone(result);
      }
    },
    120_000,
  );

  it('every migration of the page can be deployed, each as a separate file', async () => {
    for (const block of blocksOf(page, 'sql')) {
      const [, path = ''] = /^-- (supabase\/migrations\/\d+_\w+\.sql)\n/.exec(block) ?? [];
      expect(path).not.toBe('');
      writeFileSync(join(project.dir, path), block);
    }
    expect(readdirSync(join(project.dir, 'supabase', 'migrations')).length).toBeGreaterThan(4);
    const deployed = await run(project, ['deploy', '--yes', '--only', 'migrations'], inProject());
    expectDone(deployed);
    expect(deployed.stdout).toContain('order_status_checked.sql');
    expect((await run(project, ['deploy', '--check'], inProject())).stdout).toContain('up to date');
  });
});

const done: CommandResult = { status: 0, stdout: 'done', stderr: '' };

function expectDone({ status, stdout, stderr }: CommandResult): void {
  expect(status, `${stdout}\n${stderr}`).toBe(0);
}

const previewOf = (dir: string) => {
  const folder = join(dir, 'previews', 'pr-12');
  return { dir: folder, dataDir: join(folder, '.plinth'), key: '', remove: () => undefined };
};
