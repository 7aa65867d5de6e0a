/** The SQL-only extension `vector` of Plinth 0.2. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Writes the files of the extension to the folder of extensions of a running server. */
export function writeFormerExtension(dataDir: string): void {
  const source = fileURLToPath(new URL('./sql-vector/', import.meta.url));
  const target = join(dataDir, 'extensions', 'extension');
  const parts = readdirSync(source).filter((name) => name.endsWith('.sql'));
  const script = parts.sort().map((name) => readFileSync(join(source, name), 'utf8'));
  writeFileSync(join(target, 'vector--0.8.6.sql'), script.join('\n'));
  writeFileSync(join(target, 'vector.control'), readFileSync(join(source, 'vector.control')));
}
