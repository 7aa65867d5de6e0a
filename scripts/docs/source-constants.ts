/**
 * Reads the values of constants from source files. The documents can therefore show the current values of constants
 * that modules don't export.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns the value of a constant that is declared exactly once (`const NAME = …`) in a file or folder, or the value of
 * a field in a constant object. Products and sums of numbers are evaluated.
 *
 * @example sourceConstant('src/services/mail', 'maxLimit') // 1000
 * @example sourceConstant('src/pages/console', 'attemptLimits.max') // 10
 */
export function sourceConstant(path: string, name: string): number {
  const [constant = '', field] = name.split('.');
  const declared = new RegExp(`^(?:export )?const ${constant}\\b[^=\\n]*= ([^;]+);`, 'gm');
  const values = sourcesOf(path)
    .flatMap((source) => [...source.matchAll(declared)])
    .map(([, text = '']) => evaluate(field === undefined ? text : fieldOf(text, field)));
  const [value] = values;
  if (values.length !== 1 || value === undefined) {
    const found = values.length > 1 ? `${values.length} constants` : 'no numeric constant';
    throw new Error(`${path} has ${found} named ${name}. Correct the list in scripts/docs/constants.ts.`);
  }
  return value;
}

const texts = new Map<string, readonly string[]>();

function sourcesOf(path: string): readonly string[] {
  let sources = texts.get(path);
  if (sources === undefined) {
    const files = path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.ts`, { cwd: root });
    sources = files
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(`${root}${file}`, 'utf8'));
    texts.set(path, sources);
  }
  return sources;
}

const fieldOf = (object: string, field: string): string =>
  new RegExp(`\\b${field}: ([^,}]+)`).exec(object)?.[1] ?? '';

function evaluate(text: string): number | undefined {
  const plain = text.trim().replaceAll('_', '').replaceAll("'", '');
  if (!/^[\d.]+( [*+] [\d.]+)*$/.test(plain)) return undefined;
  return plain
    .split(' + ')
    .map((term) => term.split(' * ').reduce((product, factor) => product * Number(factor), 1))
    .reduce((sum, term) => sum + term, 0);
}
