import { splitOnce } from '../../../base/shared/http/split-once.ts';

export const queryOf = ({ url }: { readonly url: string }): URLSearchParams =>
  new URLSearchParams(splitOnce(url, '?')[1]);
