/** Reads a constant out of the sources, so that documents show the number that runs though nothing exports it. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The value of the one `const NAME = …` of a file or folder, or of a field of the object it holds; products and sums of
 * numbers are worked out.
 *
 * @example sourceConstant('src/mail', 'maxLimit') // 1000
 * @example sourceConstant('src/console', 'attemptLimits.most') // 10
 */
export function sourceConstant(place: string, name: string): number {
  const [constant = '', field] = name.split('.');
  const declared = new RegExp(`^(?:export )?const ${constant}\\b[^=\\n]*= ([^;]+);`, 'gm');
  const values = sourcesOf(place)
    .flatMap((source) => [...source.matchAll(declared)])
    .map(([, text = '']) => workOut(field === undefined ? text : fieldOf(text, field)));
  const [value] = values;
  if (values.length !== 1 || value === undefined) {
    const found = values.length > 1 ? `${values.length} constants` : 'no number';
    throw new Error(
      `${place} has ${found} of the name ${name}: correct the list in scripts/docs/constants.ts.`,
    );
  }
  return value;
}

const texts = new Map<string, readonly string[]>();

function sourcesOf(place: string): readonly string[] {
  let sources = texts.get(place);
  if (sources === undefined) {
    const files = place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.ts`, { cwd: root });
    sources = files
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(`${root}${file}`, 'utf8'));
    texts.set(place, sources);
  }
  return sources;
}

const fieldOf = (object: string, field: string): string =>
  new RegExp(`\\b${field}: ([^,}]+)`).exec(object)?.[1] ?? '';

function workOut(text: string): number | undefined {
  const plain = text.trim().replaceAll('_', '').replaceAll("'", '');
  if (!/^[\d.]+( [*+] [\d.]+)*$/.test(plain)) return undefined;
  return plain
    .split(' + ')
    .map((term) => term.split(' * ').reduce((product, factor) => product * Number(factor), 1))
    .reduce((sum, term) => sum + term, 0);
}
