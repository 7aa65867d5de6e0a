/** Reads a constant out of a source file, so that documents show the number that runs though nothing exports it. */
import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/**
 * The value of `const NAME = …`, or of a field of the object it holds; products and sums of numbers are worked out.
 *
 * @example sourceConstant('src/mail/server.ts', 'maxLimit') // 1000
 * @example sourceConstant('src/console/sessions.ts', 'attemptLimits.most') // 10
 */
export function sourceConstant(file: string, name: string): number {
  const source = readFileSync(new URL(file, root), 'utf8');
  const [constant = '', field] = name.split('.');
  const statement = new RegExp(`^\\s*(?:export )?const ${constant}\\b[^=]*= ([^;]+);`, 'm').exec(source)?.[1];
  const text =
    field === undefined ? statement : new RegExp(`\\b${field}: ([^,}]+)`).exec(statement ?? '')?.[1];
  const value = text === undefined ? undefined : workOut(text);
  if (value === undefined) {
    throw new Error(`${file} has no number ${name} any more: correct the list in scripts/docs/constants.ts.`);
  }
  return value;
}

function workOut(text: string): number | undefined {
  const plain = text.trim().replaceAll('_', '').replaceAll("'", '');
  if (!/^[\d.]+( [*+] [\d.]+)*$/.test(plain)) return undefined;
  return plain
    .split(' + ')
    .map((term) => term.split(' * ').reduce((product, factor) => product * Number(factor), 1))
    .reduce((sum, term) => sum + term, 0);
}
