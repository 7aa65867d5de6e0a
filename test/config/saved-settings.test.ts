/** Tests the layer of saved settings, which overrides the project's files. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, loadConfig, settingsFiles } from '../../src/platform/config/index.ts';
import { makeProject } from './project-folder.ts';

/** Loads a project and a layer, which is inside the data folder in the project folder. */
function load(files: Record<string, string>, env: Record<string, string> = {}) {
  const projectDir = makeProject(files);
  const savedDir = join(projectDir, '.plinth/saved-settings');
  return { savedDir, ...loadConfig({ projectDir, savedDir, env }) };
}

const faultOf = (files: Record<string, string>): string => {
  try {
    load(files);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

const project = 'supabase/config.toml';
const saved = '.plinth/saved-settings/config.toml';

test('saved values override the project’s files, and the environment overrides both', () => {
  const files = {
    [project]: '[auth]\njwt_expiry = 60\nsite_url = "http://project"\n[api]\nmax_rows = 1',
    [saved]: '[auth]\njwt_expiry = 90\n[api]\nmax_rows = 2',
    'supabase/plinth.toml': '[branding]\nname = "Project"',
    '.plinth/saved-settings/plinth.toml': 'unset = ["branding.name"]\n[branding]\ncolor = "#000000"',
  };
  const { config } = load(files, { SUPABASE_API_MAX_ROWS: '3' });
  expect(config.auth).toMatchObject({ jwt_expiry: 90, site_url: 'http://project' });
  expect(config.api.max_rows).toBe(3);
  expect(config.plinth.branding).toMatchObject({ name: undefined, color: '#000000' });
});

test('a project whose settings are JSON also gets the layer', () => {
  const { config } = load({
    'supabase/config.json': '{ "auth": { "jwt_expiry": 60, "site_url": "http://project" } }',
    [saved]: '[auth]\njwt_expiry = 90',
  });
  expect(config.auth).toMatchObject({ jwt_expiry: 90, site_url: 'http://project' });
});

test('env() in both files refers to the layer’s variables first, then to those of the project', () => {
  const files = {
    [project]: '[auth.captcha]\nsecret = "env(A)"\n[auth]\nsite_url = "env(B)"',
    [saved]: '[auth.email.smtp]\nenabled = false\npass = "env(C)"',
    'supabase/.env': 'A=project-a\nB=http://project-b',
    '.plinth/saved-settings/.env': 'A=saved-a\nC=saved-c\nD=saved-d',
    '.plinth/saved-settings/.env.local': 'A=ignored',
  };
  const { config, environment } = load(files, { D: 'shell-d' });
  expect(config.auth.captcha.secret).toBe('saved-a');
  expect(config.auth.site_url).toBe('http://project-b');
  expect(config.auth.email.smtp.pass).toBe('saved-c');
  expect(environment.D).toBe('shell-d');
});

test('errors name the file that contains the value', () => {
  const files = { [project]: '\n[api]\nport = "x"', [saved]: '[auth]\n\njwt_expiry = "y"' };
  expect(faultOf(files)).toMatch(/\.plinth\/saved-settings\/config\.toml:3: auth\.jwt_expiry: "y" isn't/);
  expect(faultOf(files)).toMatch(/supabase\/config\.toml:3: api\.port: "x" isn't/);
  expect(faultOf({ [saved]: 'x' })).toMatch(/^\.plinth\/saved-settings\/config\.toml:1: not TOML/);
  // The project is valid by itself, and the layer turns on something that needs more settings.
  expect(
    faultOf({
      [project]: '[auth.email.smtp]\nenabled = false\nhost = "h"',
      [saved]: '[auth.email.smtp]\nenabled = true',
    }),
  ).toContain('.plinth/saved-settings/config.toml:1: auth.email.smtp.port');
});

test('saved: refers to the layer’s templates and to no other file in the data folder', () => {
  const path = (text: string) => ({ [saved]: `[auth.email.template.recovery]\ncontent_path = "${text}"` });
  const { config, savedDir, warnings } = load({
    ...path('saved:recovery.html'),
    '.plinth/saved-settings/templates/recovery.html': '<p>Hi</p>',
  });
  expect(config.auth.email.template.recovery.content_path).toBe(join(savedDir, 'templates/recovery.html'));
  expect(warnings).toEqual([]);
  expect(faultOf(path('saved:../.env'))).toContain("is in the data folder, which settings can't refer to");
  expect(faultOf(path('./.plinth/secrets.json'))).toContain('is in the data folder');
});

test('a symbolic link among the templates doesn’t lead out of the folder', () => {
  const files = {
    [saved]: '[auth.email.template.recovery]\ncontent_path = "saved:recovery.html"',
    '.plinth/secrets.json': '{}',
    '.plinth/saved-settings/templates/invite.html': '',
  };
  const projectDir = makeProject(files);
  const savedDir = join(projectDir, '.plinth/saved-settings');
  symlinkSync(join(projectDir, '.plinth/secrets.json'), join(savedDir, 'templates/recovery.html'));
  expect(() => loadConfig({ projectDir, savedDir, env: {} })).toThrow('is in the data folder');
});

test('the settings files include those of the layer', () => {
  const [projectDir, savedDir] = ['/p', '/d/saved-settings'];
  const all = settingsFiles({ projectDir, savedDir, env: {} });
  expect(all).toContain('/p/supabase/config.toml');
  expect(all.filter((path) => path.startsWith('/d'))).toEqual([
    '/d/saved-settings/config.toml',
    '/d/saved-settings/plinth.toml',
    '/d/saved-settings/.env',
  ]);
});
