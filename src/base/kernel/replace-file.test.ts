import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'plinth-replace-'));
afterAll(() => rmSync(folder, { recursive: true }));

// This test uses `ulimit`, which doesn't exist on Windows.
test.skipIf(process.platform === 'win32')(
  'a file isn’t replaced if only a part of the text can be written',
  () => {
    const path = join(folder, 'settings.toml');
    writeFileSync(path, 'complete');
    const module = JSON.stringify(new URL('./replace-file.ts', import.meta.url));
    const code = `import { replaceFile } from ${module}; replaceFile(${JSON.stringify(path)}, 'x'.repeat(100_000));`;
    // A file size limit has the same effect as a full disk: the first call writes only a part of the text.
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 8; exec "$0" --input-type=module --eval "$1"', process.execPath, code],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining('EFBIG')]);
    expect(readFileSync(path, 'utf8')).toBe('complete');
    expect(readdirSync(folder)).toEqual(['settings.toml']);
  },
);
