/** Decides which service replays a request, and whether the request only reads. */
import { splitOnce } from '../../../../base/shared/http/split-once.ts';
import type { ReplayKind, Unsupported } from '../contract.ts';

export type Target =
  | {
      readonly kind: ReplayKind;
      /** The path below the service's prefix, such as `/notes`. The whole path for storage. */
      readonly path: string;
      readonly query: string;
      /** Whether the request calls a function of the database. */
      readonly isCall: boolean;
      /** Whether the request can only read. */
      readonly isRead: boolean;
    }
  | { readonly kind: null; readonly unsupported: Unsupported };

/**
 * Reads the target of a request.
 * @example targetOf('GET', '/rest/v1/notes?id=eq.1'); // { kind: 'rest', path: '/notes', query: 'id=eq.1', … }
 */
export function targetOf(method: string, url: string): Target {
  const [path, query = ''] = splitOnce(url, '?');
  const isReading = method === 'GET' || method === 'HEAD';
  if (path.startsWith('/rest/v1/') || path === '/rest/v1') {
    const inner = path.slice('/rest/v1'.length) || '/';
    const isCall = /^\/rpc(\/|$)/i.test(decoded(inner));
    return {
      kind: 'rest',
      path: inner,
      query,
      isCall,
      isRead: (isReading || method === 'OPTIONS') && !isCall,
    };
  }
  if (path === '/graphql/v1' || path === '/graphql/v1/')
    return { kind: 'graphql', path: '/', query, isCall: false, isRead: isReading };
  if (path.startsWith('/storage/v1/')) {
    const isObject = /^\/storage\/v1\/object\/(?!sign\/|upload\/)[^/]+\/.+/.test(path);
    const isList = method === 'POST' && /^\/storage\/v1\/object\/list\/[^/]+$/.test(path);
    if ((isReading && isObject) || isList)
      return { kind: 'storage', path, query, isCall: false, isRead: true };
    return { kind: null, unsupported: 'storage-write' };
  }
  const service = /^\/(auth|functions|realtime)\/v1(\/|$)/.exec(path)?.[1];
  return { kind: null, unsupported: (service as Unsupported | undefined) ?? 'other' };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
