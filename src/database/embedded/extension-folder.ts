/**
 * The folder of control files that PostgreSQL searches before its own (`extension_control_path`): our SQL-only
 * extensions, the contrib modules a non-superuser may create here, and one sentence for each extension that cannot
 * be had. It is generated, since a control file must name the stock scripts by an absolute path.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusalScript, refusedExtensions } from '../extensions/refused.ts';
import { trustedContrib } from '../extensions/trusted.ts';
import type { Binaries } from './binaries.ts';

const ownExtensions = fileURLToPath(new URL('../extensions/', import.meta.url));

/** Makes or refreshes the folder below `dataDir`; returns the entry for `extension_control_path`. */
export function prepareExtensionFolder(dataDir: string, binaries: Binaries): string {
  const base = join(dataDir, 'extensions');
  const stampFile = join(base, 'stamp');
  const own = readdirSync(ownExtensions).filter((name) => /\.(control|sql)$/.test(name));
  const stamp = stampOf(binaries, own);
  if (readIfThere(stampFile) === stamp) return base;
  const work = `${base}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  const folder = join(work, 'extension');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o644 });
  for (const name of own) copyFileSync(join(ownExtensions, name), join(folder, name));
  for (const name of trustedContrib) {
    const stock = readIfThere(join(binaries.stockExtensions, `${name}.control`));
    if (stock === undefined) continue;
    const lines = stock.split('\n').filter((line) => !/^\s*(trusted|directory)\s*=/.test(line));
    write(
      `${name}.control`,
      [...lines, 'trusted = true', `directory = '${binaries.stockExtensions}'`, ''].join('\n'),
    );
  }
  for (const name of Object.keys(refusedExtensions)) {
    const script = refusalScript(name);
    write(
      `${name}.control`,
      `comment = 'not available in the embedded PostgreSQL'\ndefault_version = '0'\ntrusted = true\n`,
    );
    write(`${name}--0.sql`, script);
  }
  writeFileSync(join(work, 'stamp'), stamp);
  rmSync(base, { recursive: true, force: true });
  renameSync(work, base);
  return base;
}

/** Changes with the binaries, with a file of ours and with the two tables. */
function stampOf(binaries: Binaries, own: readonly string[]): string {
  const hash = createHash('sha256').update(binaries.stockExtensions).update(binaries.version);
  for (const name of own) {
    const { mtimeMs, size } = statSync(join(ownExtensions, name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.update(JSON.stringify([refusedExtensions, trustedContrib])).digest('hex');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
