/**
 * Validates the `X-Robots-Tag` that a client stores with an object. The header contains comma-separated rules, each of
 * which can be limited to one crawler.
 */

const plainRules = new Set([
  'all',
  'noindex',
  'nofollow',
  'none',
  'nosnippet',
  'indexifembedded',
  'notranslate',
  'noimageindex',
]);

/** The rules that take a value, each with a function that checks the value. */
const valueRules: Record<string, (value: string) => boolean> = {
  'max-snippet': (value) => /^(?:-1|\d+)$/.test(value),
  'max-video-preview': (value) => /^-?\d+$/.test(value),
  'max-image-preview': (value) => value === 'none' || value === 'standard' || value === 'large',
  unavailable_after: (value) => !Number.isNaN(Date.parse(value)),
};

export function isValidRobotsTag(value: string): boolean {
  const rules = splitRules(value);
  return rules.length > 0 && rules.every(isValidRule);
}

function isValidRule(rule: string): boolean {
  if (plainRules.has(rule)) return true;
  const colon = rule.indexOf(':');
  if (colon < 1) return false;
  const name = rule.slice(0, colon).trim();
  const rest = rule.slice(colon + 1).trim();
  if (rest === '') return false;
  const accepts = Object.hasOwn(valueRules, name) ? valueRules[name] : undefined;
  // Text before a colon that isn't the name of a rule is the name of a crawler.
  return accepts ? accepts(rest) : isValidRule(rest);
}

/**
 * Splits a value into rules. The date in `unavailable_after` can contain a comma ("Wed, 03 Dec 2025 …"). If the text
 * after a comma isn't a valid rule, it is part of the date.
 */
function splitRules(value: string): string[] {
  const rules: string[] = [];
  for (const item of value.split(',').map((part) => part.trim())) {
    const last = rules.at(-1);
    if (last !== undefined && /(?:^|:\s*)unavailable_after:/.test(last) && !isValidRule(item)) {
      rules[rules.length - 1] = `${last}, ${item}`;
    } else {
      rules.push(item);
    }
  }
  return rules;
}
