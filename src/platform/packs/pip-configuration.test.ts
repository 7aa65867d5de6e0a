import { describe, expect, it } from 'vitest';
import { parseConfiguration, pipConfiguration } from './pip-configuration.ts';

const linux = { os: 'linux', home: '/home/ada', env: {}, read: () => undefined };
const reading = (files: Readonly<Record<string, string>>) => (path: string) => files[path];

describe('the package configuration', () => {
  it('uses the public index without a configuration', () => {
    expect(pipConfiguration(linux)).toEqual({
      indexes: ['https://pypi.org/simple'],
      links: [],
      certificates: undefined,
      proxy: undefined,
      logins: new Map(),
    });
  });

  it('prefers the user to the machine, PIP_CONFIG_FILE to both, and variables to all files', () => {
    const files = {
      '/etc/pip.conf':
        '[global]\nindex-url = https://a.example/simple\nproxy = http://a.example:1\ncert = /a.pem',
      '/home/ada/.config/pip/pip.conf': '[global]\nindex-url = https://b.example/simple\ncert = /b.pem',
      '/own.conf': '[global]\ncert = /c.pem',
    };
    const env = { PIP_CONFIG_FILE: '/own.conf', PIP_INDEX_URL: 'https://d.example/simple/' };
    expect(pipConfiguration({ ...linux, env, read: reading(files) })).toMatchObject({
      indexes: ['https://d.example/simple'],
      certificates: '/c.pem',
      proxy: 'http://a.example:1',
    });
  });

  it('reads several additional indexes and folders', () => {
    const read = reading({
      '/home/ada/.pip/pip.conf':
        '[global]\nextra-index-url =\n    https://a.example/simple\n    https://b.example/simple/\nfind_links = /wheels',
    });
    expect(pipConfiguration({ ...linux, read })).toMatchObject({
      indexes: ['https://pypi.org/simple', 'https://a.example/simple', 'https://b.example/simple'],
      links: ['/wheels'],
    });
  });

  it('uses no index with no-index, and no file with PIP_CONFIG_FILE=/dev/null', () => {
    const read = reading({ '/etc/pip.conf': '[global]\nno-index = true\nfind-links = /wheels' });
    expect(pipConfiguration({ ...linux, read })).toMatchObject({ indexes: [], links: ['/wheels'] });
    const env = { PIP_CONFIG_FILE: '/dev/null' };
    expect(pipConfiguration({ ...linux, env, read }).indexes).toEqual(['https://pypi.org/simple']);
  });

  it('reads the files of each operating system', () => {
    const windows = reading({ 'C:\\Users\\ada\\AppData\\Roaming\\pip\\pip.ini': '[global]\ncert = w' });
    expect(
      pipConfiguration({ os: 'win32', home: 'C:\\Users\\ada', env: {}, read: windows }).certificates,
    ).toBe('w');
    const mac = reading({ '/Users/ada/Library/Application Support/pip/pip.conf': '[global]\ncert = m' });
    expect(pipConfiguration({ os: 'darwin', home: '/Users/ada', env: {}, read: mac }).certificates).toBe('m');
  });

  it('reads the logins of NETRC, or of the file in the home folder', () => {
    const files = {
      '/n': 'machine a login x password y',
      '/home/ada/_netrc': 'machine b login p password q',
    };
    const hosts = (env: Record<string, string>) => [
      ...pipConfiguration({ ...linux, env, read: reading(files) }).logins.keys(),
    ];
    expect([hosts({ NETRC: '/n' }), hosts({}), hosts({ NETRC: '/missing' })]).toEqual([['a'], ['b'], []]);
  });

  it('falls back to the certificates of other Python programs', () => {
    expect(pipConfiguration({ ...linux, env: { REQUESTS_CA_BUNDLE: '/r.pem' } }).certificates).toBe('/r.pem');
    const env = { REQUESTS_CA_BUNDLE: '/r.pem', PIP_CERT: '/p.pem' };
    expect(pipConfiguration({ ...linux, env }).certificates).toBe('/p.pem');
  });
});

describe('parsing a configuration file', () => {
  it('prefers [download] to [global], and ignores comments and other sections', () => {
    const text =
      '# a comment\n[install]\ncert = i\n[global]\ncert = g\nproxy: p\n; another\n[download]\ncert = d';
    expect([...parseConfiguration(text)]).toEqual([
      ['cert', 'd'],
      ['proxy', 'p'],
    ]);
  });
});
