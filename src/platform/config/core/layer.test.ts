import { describe, expect, test } from 'vitest';
import { projectSchema } from '../schema/index.ts';
import { plainFrom, setInLayer, withLayer } from './layer.ts';
import { ConfigError, parseToml } from './tree.ts';

const tree = (project: string, layer: string) =>
  withLayer(projectSchema, parseToml(project, 'project'), parseToml(layer, 'layer'));
const merge = (project: string, layer: string) => plainFrom(tree(project, layer));

describe('withLayer', () => {
  test('merges tables by key and replaces all other values', () => {
    const project =
      '[auth]\njwt_expiry = 60\nadditional_redirect_urls = ["a", "b"]\n[auth.sms]\nenable_signup = true';
    const layer = '[auth]\nadditional_redirect_urls = ["c"]\n[auth.mfa]\nmax_enrolled_factors = 3';
    expect(merge(project, layer)).toEqual({
      auth: {
        jwt_expiry: 60,
        additional_redirect_urls: ['c'],
        sms: { enable_signup: true },
        mfa: { max_enrolled_factors: 3 },
      },
    });
  });

  test('a key in unset hides the project’s value, also in a table with user-chosen names', () => {
    const project = '[auth]\njwt_expiry = 60\nsite_url = "x"\n[auth.sms.test_otp]\n"1.5" = "1"\n2 = "2"';
    expect(
      merge(project, `unset = ["auth.jwt_expiry", 'auth.sms.test_otp."1.5"', "auth.none.at_all"]`),
    ).toEqual({
      auth: { site_url: 'x', sms: { test_otp: { 2: '2' } } },
    });
  });

  test('an empty table in the layer has no effect', () => {
    expect(merge('', '[auth.email.smtp]\n[auth.email.template.invite]')).toEqual({});
    expect(merge('[api]\nport = 1', '[api]\n')).toEqual({ api: { port: 1 } });
  });

  test('aliases and names in another case are the same setting in both files', () => {
    expect(merge('[auth.email]\nenable_signup = true', '[auth.email]\nenabled = false')).toEqual({
      auth: { email: { enable_signup: false } },
    });
    expect(merge('[inbucket]\nport = 1', '[local_smtp]\nsmtp_port = 2')).toEqual({
      local_smtp: { port: 1, smtp_port: 2 },
    });
    expect(merge('[inbucket]\nport = 1\n', 'unset = ["local_smtp.port"]')).toEqual({ local_smtp: {} });
    expect(merge('[edge_runtime.secrets]\nkey = "a"', '[edge_runtime.secrets]\nKEY = "b"')).toEqual({
      edge_runtime: { secrets: { KEY: 'b' } },
    });
  });

  test('values keep the position in their own file', () => {
    const auth = tree('[auth]\njwt_expiry = 60', '\n\n[auth]\nsite_url = "x"').get('auth')?.value;
    const at = (key: string) => (auth instanceof Map ? auth.get(key)?.location : undefined);
    expect(at('jwt_expiry')).toMatchObject({ file: 'project', line: 2 });
    expect(at('site_url')).toMatchObject({ file: 'layer', line: 4 });
  });

  test.each(['unset = 1', 'unset = ["a b"]', 'unset = [["auth"]]', 'unset = [""]', 'unset = ["a = 1\\nb"]'])(
    '%s is rejected with its position',
    (layer) => {
      expect(() => tree('', layer)).toThrow(ConfigError);
      expect(() => tree('', layer)).toThrow(/^layer:1: unset: must be an array of setting keys/);
    },
  );
});

describe('setInLayer', () => {
  const path = ['auth', 'sms', 'test_otp', '1.5'];

  test('a value, then the default, then the project’s value', () => {
    const saved = setInLayer('', path, '123');
    expect(saved).toMatch(/^# .+\n\n\[auth\.sms\.test_otp\]\n"1\.5" = "123"\n$/);
    const reset = setInLayer(saved, path, null);
    expect(reset).toContain('unset = ["auth.sms.test_otp.\\"1.5\\""]');
    expect(merge('[auth.sms.test_otp]\n"1.5" = "9"', reset)).toEqual({ auth: { sms: { test_otp: {} } } });
    expect(setInLayer(reset, path, null)).toBe(reset);
    const restored = setInLayer(reset, path, undefined);
    expect(restored).not.toContain('unset =');
    expect(merge('[auth.sms.test_otp]\n"1.5" = "9"', restored)).toEqual({
      auth: { sms: { test_otp: { '1.5': '9' } } },
    });
  });

  test('a new value removes the key from unset and keeps the other keys', () => {
    const text = setInLayer(setInLayer('', ['auth', 'site_url'], null), path, null);
    expect(setInLayer(text, path, '1')).toContain('unset = ["auth.site_url"]');
  });
});
