/** Reads a call of `graphql_public.graphql` over HTTP. */
import type { GraphqlRequest } from './plan.ts';

const argumentNames = new Set(['query', 'variables', 'operationName', 'extensions']);

/**
 * Returns the request that the body contains. Returns undefined if the body isn't a call of the function with a query. An
 * error of the call must then be reported as for any other function.
 *
 * @example readCall('{"query": "{ __typename }"}') // { query: '{ __typename }', variables: null, operationName: null }
 */
export function readCall(body: string): GraphqlRequest | undefined {
  const call = parseObject(body);
  if (call === undefined || !Object.keys(call).every((name) => argumentNames.has(name))) return undefined;
  const { query, variables = null, operationName = null } = call;
  if (typeof query !== 'string' || !(operationName === null || typeof operationName === 'string'))
    return undefined;
  return { query, variables, operationName };
}

/**
 * Returns the arguments in a URL's query as JSON text. Returns undefined if the query has another form.
 *
 * @example readParameters('query=%7B__typename%7D') // '{"query":"{__typename}"}'
 */
export function readParameters(query: string): string | undefined {
  const parameters = [...new URLSearchParams(query)];
  const parts: string[] = [];
  const names = new Set(parameters.map(([name]) => name));
  if (names.size !== parameters.length) return undefined;
  for (const [name, value] of parameters) {
    const isJson = name === 'variables' || name === 'extensions';
    if (isJson && !isJsonText(value)) return undefined;
    parts.push(`${JSON.stringify(name)}:${isJson ? value : JSON.stringify(value)}`);
  }
  return `{${parts.join(',')}}`;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text, withAllDigits);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Parses an integer that a number can't represent as a bigint. */
export function withAllDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}
