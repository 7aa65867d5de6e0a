/**
 * Finds the role in a token's claims. The setting `jwt-role-claim-key` contains the path to the role, either as a
 * JSONPath or in the older JSPath syntax.
 */

import { createRequire } from 'node:module';
import type * as JsonP3 from 'json-p3';

/** A JSONPath query. Returns the first value that the query selects, or undefined. */
type JsonPath = (root: unknown) => unknown;

export interface ClaimPath {
  readonly text: string;
  readonly select: JsonPath;
  /** Whether the path uses the older JSPath syntax, which PostgREST 18 will no longer accept. */
  readonly isDeprecated: boolean;
}

/**
 * Parses a path such as `$.role`, `$['my key'].roles[?(@ == 'author')]`, or `.app_metadata.roles[0]`. Returns undefined
 * if the path is invalid.
 *
 * @example
 * claimAt({ app_metadata: { roles: ['author'] } }, readClaimPath('$.app_metadata.roles[0]')); // 'author'
 */
export function readClaimPath(text: string): ClaimPath | undefined {
  const member = MEMBER.exec(text)?.[1];
  const select = member === undefined ? readJsonPath(text) : (claims: unknown) => ownValue(claims, member);
  if (select !== undefined) return { text, select, isDeprecated: false };
  const older = readOlderPath(text);
  return older === undefined ? undefined : { text, select: older, isDeprecated: true };
}

/**
 * Matches a path to a top-level member, such as the default path. Handles this common case without the JSONPath
 * library, because the path is evaluated for every request.
 */
const MEMBER = /^\$\.([A-Za-z_]\w*)$/;

export const DEFAULT_ROLE_CLAIM = readClaimPath('$.role') as ClaimPath;

/** Returns the first value at the path as text. Returns undefined if no value matches the path. */
export function claimAt(
  claims: Readonly<Record<string, unknown>>,
  { select }: ClaimPath,
): string | undefined {
  const value = select(claims);
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const OLDER_STEP = /\.([\p{L}\p{N}_$@]+)|\."([^"]*)"|\[(\d+)\]/uy;
const OLDER_FILTER = /\[\?\(@\s*(==\^|==|!=|\^==|\*==)\s*"([^"]*)"\)\]$/y;

const MATCHES: Readonly<Record<string, (item: string, text: string) => boolean>> = {
  '==': (item, text) => item === text,
  '!=': (item, text) => item !== text,
  '^==': (item, text) => item.startsWith(text),
  '==^': (item, text) => item.endsWith(text),
  '*==': (item, text) => item.includes(text),
};

/** Parses JSPath as PostgREST 14 does: keys, indexes, and an optional text filter at the end. */
function readOlderPath(text: string): JsonPath | undefined {
  const steps: ((node: unknown) => unknown)[] = [];
  let at = 0;
  while (at < text.length) {
    OLDER_STEP.lastIndex = at;
    OLDER_FILTER.lastIndex = at;
    const step = OLDER_STEP.exec(text);
    const filter = step === null ? OLDER_FILTER.exec(text) : null;
    if (step !== null) {
      const key = step[3] === undefined ? (step[1] ?? step[2] ?? '') : Number(step[3]);
      steps.push((node) => ownValue(node, key));
      at = OLDER_STEP.lastIndex;
    } else if (filter !== null) {
      const [, operator = '', expected = ''] = filter;
      const matches = MATCHES[operator] as (item: string, text: string) => boolean;
      steps.push((node) =>
        Array.isArray(node)
          ? node.find((item) => typeof item === 'string' && matches(item, expected))
          : undefined,
      );
      at = text.length;
    } else return undefined;
  }
  if (steps.length === 0) return undefined;
  return (root) => steps.reduce<unknown>((node, step) => step(node), root);
}

function ownValue(node: unknown, key: string | number): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node) !== (typeof key === 'number'))
    return undefined;
  return Object.hasOwn(node, key) ? (node as Record<string | number, unknown>)[key] : undefined;
}

/**
 * The recursion limit. The claims of a token can't reach the limit, because the size of the request headers limits
 * their nesting.
 */
const maxRecursionDepth = 10_000;

const require = createRequire(import.meta.url);
let environment: JsonP3.JSONPathEnvironment | undefined;

/**
 * Creates the environment of json-p3 (docs/decisions/0044-shared-and-libraries.md), which implements RFC 9535. The only
 * supported function extension is `search`, as in PostgREST 16. The environment is created on first use because few
 * projects configure a path.
 */
function createEnvironment(): JsonP3.JSONPathEnvironment {
  const { jsonpath, JSONPathEnvironment } = require('json-p3') as typeof JsonP3;
  const created = new JSONPathEnvironment({ maxRecursionDepth });
  created.functionRegister = new Map([['search', new jsonpath.functions.Search({ iRegexpCheck: false })]]);
  return created;
}

/**
 * Parses a JSONPath query. Returns undefined if the text is invalid.
 *
 * @example
 * readJsonPath('$.roles[?(@ == "author")]')?.({ roles: ['other', 'author'] }); // 'author'
 */
function readJsonPath(text: string): JsonPath | undefined {
  environment ??= createEnvironment();
  try {
    const query = environment.compile(text);
    return (root) => query.match(root as JsonP3.JSONValue)?.value;
  } catch {
    return undefined;
  }
}
