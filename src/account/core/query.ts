import { splitOnce } from '../../shared/split-once.ts';

/** Returns the query parameters of a request. */
export const queryOf = ({ url }: { readonly url: string }): URLSearchParams =>
  new URLSearchParams(splitOnce(url, '?')[1]);
