import { describe, expect, it } from 'vitest';
import { endpointFor } from './testing-connection.ts';

describe('the endpoint of a testing host', () => {
  const linux = { os: 'linux', tmpdir: '/tmp', uid: 1000 };

  it('is a socket in a private folder, or a pipe on Windows', () => {
    const endpoint = endpointFor(['/app'], linux);
    expect(endpoint.folder).toBe('/tmp/plinth-testing-1000');
    expect(endpoint.path).toMatch(/^\/tmp\/plinth-testing-1000\/[0-9a-f]{16}$/);
    expect(endpointFor(['C:\\app'], { os: 'win32', tmpdir: 'C:\\tmp', uid: undefined })).toEqual({
      path: expect.stringMatching(/^\\\\\.\\pipe\\plinth-testing-[0-9a-f]{16}$/),
      folder: undefined,
    });
  });

  it('fits into the 104 bytes of a socket address on macOS', () => {
    const tmpdir = '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T';
    const { path } = endpointFor(['/app'], { os: 'darwin', tmpdir, uid: 4294967295 });
    expect(path.length).toBeLessThan(104);
  });

  it('differs per project and per build', () => {
    const paths = [['/app', 'a'], ['/app', 'b'], ['/other', 'a'], ['/app,a']].map(
      (key) => endpointFor(key, linux).path,
    );
    expect(new Set(paths).size).toBe(4);
  });
});
