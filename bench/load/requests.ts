/** Builds raw requests to the REST service in `server.ts`, for benchmarks. */
import type { LoadRequest } from './client.ts';
import { ROWS, subOf, USERS, userOf } from './rows.ts';
import type { ServerFacts } from './server.ts';

export function wireText(method: string, path: string, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${body}`;
}

/** Returns `count` rows from all parts of the table, with their owners and the owners' tokens. */
export function someRows(facts: ServerFacts, count: number): { id: number; owner: string; token: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const id = 1 + ((index * 7919) % (ROWS - 1));
    const user = userOf(id);
    return { id, owner: subOf(user), token: facts.tokens[user] ?? '' };
  });
}

export const restById = (facts: ServerFacts, count: number): LoadRequest[] =>
  someRows(facts, count).map(({ id, owner, token }) => ({
    text: wireText('GET', `/rest/v1/items?select=*&id=eq.${id}`, headersOf(token)),
    owner,
    rows: 1,
  }));

/**
 * Returns a mix of requests: for rows by ID, for pages of the caller's rows, and for other users' rows, which must be
 * hidden.
 */
export const restMix = (facts: ServerFacts, count: number): LoadRequest[] =>
  someRows(facts, count).map(({ id, owner, token }, index) => {
    const [query, rows] = [
      [`id=eq.${id}`, 1],
      [`order=id.desc&limit=20&offset=${index % 100}`, 20],
      [`id=eq.${(id % (ROWS - USERS)) + 1}`, 0],
      [`id=in.(${id},${id + 1},${id + 2})&order=id`, 1],
    ][index % 4] as [string, number];
    return { text: wireText('GET', `/rest/v1/items?select=*&${query}`, headersOf(token)), owner, rows };
  });

const headersOf = (token: string) => ({
  apikey: token,
  authorization: `Bearer ${token}`,
  accept: 'application/json',
  'x-client-info': 'supabase-js-node/2',
});
