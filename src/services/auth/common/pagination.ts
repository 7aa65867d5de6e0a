/** Implements pagination of admin lists with `page`, `per_page` and the Link header. */

import { authError } from '../errors.ts';
import { encodeQuery } from './redirects.ts';

export interface Page {
  readonly page: number;
  readonly perPage: number;
}

const defaultPerPage = 50;

export function parsePage(query: URLSearchParams): Page {
  return { page: parseCount(query, 'page', 1), perPage: parseCount(query, 'per_page', defaultPerPage) };
}

function parseCount(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name) ?? '';
  if (text === '') return fallback;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw authError(
      'validation_failed',
      `Bad Pagination Parameters: strconv.ParseUint: parsing "${text}": invalid syntax`,
    );
  }
  // A value of 0 selects the default.
  return number === 0 ? fallback : number;
}

/**
 * Returns the Link header. To read this header, auth-js takes the page number after the first `=` and parses the quoted
 * `rel` value as JSON. The parameters are therefore sorted by name, so that `page` is the first parameter.
 */
export function linkHeader(path: string, query: URLSearchParams, page: Page, total: number): string {
  const lastPage = Math.ceil(total / page.perPage);
  const link = (number: number, rel: string) => {
    const params = new URLSearchParams(query);
    params.set('page', String(number));
    params.sort();
    const text = [...params].map(([key, value]) => `${encodeQuery(key)}=${encodeQuery(value)}`).join('&');
    return `<${path}?${text}>; rel="${rel}"`;
  };
  const last = link(lastPage, 'last');
  return lastPage > page.page ? `${link(page.page + 1, 'next')}, ${last}` : last;
}
